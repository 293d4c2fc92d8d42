/**
 * `node test/compose/rolling-restart.ts --demo DIR [--streams N]`: restarts every container of docker-compose.yml one
 * after another, while submissions arrive, streams are open through the proxy, and endorsements are read. It compares
 * the received streams with the change log; the exit status is 1 if anything is missing, repeated or altered. It
 * reaches containers by their own addresses, as Linux allows. docs/deployment.md says how to run it.
 */
import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { loadChangeLog } from '../helpers/stream/change-log.ts';
import { StreamChecker } from '../helpers/stream/stream-checker.ts';
import { StreamReader } from '../helpers/stream/stream-reader.ts';
import { until } from '../helpers/until.ts';

const SERVICES = [
  'gateway',
  'apply',
  'relay',
  'deliver',
  'kafka-1',
  'kafka-2',
  'kafka-3',
  'postgres',
  'proxy',
];
const READY_TIMEOUT_MS = 300_000;
const READ_EVERY_MS = 50;
/** The time between one container's readiness and the restart of the next. */
const CALM_MS = 5000;

const { values } = parseArgs({
  options: {
    demo: { type: 'string' },
    streams: { type: 'string', default: '20' },
    base: { type: 'string', default: 'http://127.0.0.1:8080' },
  },
});
const { demo, base } = values;
if (demo === undefined) throw new Error('--demo names the folder whose catalogue was imported.');
const print = (line: string) => process.stdout.write(`${line}\n`);

async function docker(...args: string[]): Promise<string> {
  return (await promisify(execFile)('docker', args)).stdout.trim();
}

const containersOf = async (service: string) =>
  (await docker('compose', 'ps', '--quiet', service)).split('\n');

const ADDRESS = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
const addressOf = (container: string) => docker('inspect', '--format', ADDRESS, container);

function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Whether a container works again. */
async function isReady(service: string, container: string): Promise<boolean> {
  if (service === 'proxy') return answers(`${base}/readyz`);
  const health = await docker('inspect', '--format', '{{.State.Health.Status}}', container);
  if (health !== 'healthy') return false;
  if (service === 'postgres') return answers(`${base}/readyz`);
  if (service.startsWith('kafka')) return hasAllReplicas(container);
  return answers(`http://${await addressOf(container)}:9090/readyz`);
}

/** Whether every replica of every partition is in sync, so that another broker can be stopped. */
async function hasAllReplicas(broker: string): Promise<boolean> {
  const lacking = await docker(
    ...['exec', broker, '/opt/kafka/bin/kafka-topics.sh', '--describe', '--under-replicated-partitions'],
    ...['--bootstrap-server', 'kafka-1:9094,kafka-2:9094,kafka-3:9094'],
    ...['--command-config', '/etc/kafka/secrets/client.properties'],
  );
  return lacking === '';
}

/** Whether nothing waits for apply or the relay. */
async function hasNoLag(): Promise<boolean> {
  const lag = JSON.parse(await docker('compose', 'run', '--rm', '--no-TTY', 'ops', 'lag', '--json'));
  return !/"(lag|waiting|unrelayed)":[^0]/i.test(JSON.stringify(lag));
}

/** Starts the producer. @returns a function that ends it and returns its numbers */
function startLoad(folder: string): () => Promise<{ sent: number; repeated: number }> {
  const child = spawn(
    'docker',
    [
      ...['compose', 'run', '--rm', '--no-TTY', '--interactive', '--volume', `${folder}:/demo:ro`],
      ...['--volume', `${path.resolve('test/compose')}:/app/test/compose:ro`, '--entrypoint', 'node'],
      ...['ops', 'test/compose/load.ts', '/demo/endorsements.ndjson'],
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes;
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  return async () => {
    child.stdin.end();
    await closed;
    return JSON.parse(output);
  };
}

/** Reads endorsements continuously, and counts the answers other than 200 by status. */
class Reads {
  count = 0;
  failures: Record<string, number> = {};
  readonly #key: string;
  #stopping = false;
  #done: Promise<void>;

  constructor(key: string) {
    this.#key = key;
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#done;
  }

  async #run(): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#key}` };
    while (!this.#stopping) {
      const status = await fetch(`${base}/v1/endorsements?limit=1`, { headers }).then(
        async (response) => {
          await response.text();
          return String(response.status);
        },
        () => 'no answer',
      );
      this.count += 1;
      if (status !== '200') this.failures[status] = (this.failures[status] ?? 0) + 1;
      await sleep(READ_EVERY_MS);
    }
  }
}

const key = await docker(
  ...['compose', 'run', '--rm', '--no-TTY', 'ops', 'keys', 'create'],
  ...['--account', 'rolling-restart', '--plan', 'internal'],
);
const password = await docker(
  'compose',
  'exec',
  '--no-TTY',
  'postgres',
  'cat',
  '/run/secrets/postgres/password',
);

async function loadLog() {
  const [postgres = ''] = await containersOf('postgres');
  return loadChangeLog(`postgres://ballot:${password}@${await addressOf(postgres)}:5432/ballot`);
}

const before = (await loadLog()).events.length;
const readers = Array.from(
  { length: Number(values.streams) },
  (_, index) => new StreamReader({ name: `stream ${index + 1}`, address: () => base, key }),
);
for (const reader of readers) reader.start();
await until('all streams are open', () => readers.every(({ connected }) => connected));
await until('all streams have a position', () => readers.every(({ position }) => position >= 0));
const endLoad = startLoad(path.resolve(demo));
const [first] = readers;
await until('changes arrive', () => (first?.position ?? 0) > before, READY_TIMEOUT_MS);
const reads = new Reads(key);

for (const service of SERVICES) {
  for (const container of await containersOf(service)) {
    const [failuresBefore, started] = [{ ...reads.failures }, performance.now()];
    await docker('restart', '--time', '60', container);
    await until(`${service} is ready`, () => isReady(service, container), READY_TIMEOUT_MS);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    await sleep(CALM_MS);
    const failed = Object.entries(reads.failures).flatMap(([status, count]) => {
      const more = count - (failuresBefore[status] ?? 0);
      return more > 0 ? [`${more} reads ${status}`] : [];
    });
    print(`${service.padEnd(9)} ready after ${seconds.padStart(5)} s  ${failed.join(', ')}`);
  }
}

const { sent, repeated } = await endLoad();
await until('everything is applied and relayed', hasNoLag, READY_TIMEOUT_MS);
const log = await loadLog();
const upTo = log.events.length;
await until(
  'all streams are at the end',
  () => readers.every(({ position }) => position >= upTo),
  READY_TIMEOUT_MS,
);
await Promise.all([reads.stop(), ...readers.map((reader) => reader.stop())]);

const checker = new StreamChecker(log);
const faults: string[] = [];
const totals = { events: 0, repeats: 0, connections: 0 };
const refusals: Record<string, number> = {};
for (const reader of readers) {
  const verdict = checker.judge({ ...reader.record, upTo });
  faults.push(...verdict.faults);
  totals.events += verdict.events;
  totals.repeats += verdict.repeats;
  totals.connections += reader.record.connections.length;
  for (const [name, count] of reader.refusals) refusals[name] = (refusals[name] ?? 0) + count;
}
if (upTo - before !== sent) faults.push(`${sent} submissions made ${upTo - before} changes.`);
print(`submissions acknowledged  ${sent}; ${repeated} batches were sent again`);
print(`changes in the log        ${upTo - before}`);
print(
  `changes received          ${totals.events} on ${readers.length} streams, ${totals.repeats} of them repeated`,
);
print(`connections               ${totals.connections}; refused: ${JSON.stringify(refusals)}`);
print(`reads                     ${reads.count}; failed: ${JSON.stringify(reads.failures)}`);
for (const fault of faults) print(`FAULT ${fault}`);
print(faults.length === 0 ? 'Nothing was lost, repeated or altered.' : 'The restart failed.');
process.exit(faults.length === 0 ? 0 : 1);
