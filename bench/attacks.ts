/**
 * Attacks a service of its own in the ways that docs/security.md lists, and measures what others notice: a request of
 * another account, `/healthz`, and the highest memory of the gateway and of apply. Linux only.
 */
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openProducer } from '../kafka/writing/submissions-producer.ts';
import { createKey } from '../ops/commands/keys.ts';
import { submitAll } from '../ops/submit/submit-all.ts';
import { type Submission, type SubmittedPick, submissionCodec } from '../schemas/submission.ts';
import { pick } from '../test/helpers/ballots/submissions.ts';
import { startKafkajsClient } from '../test/helpers/kafka/outside-javascript.ts';
import { withClient } from '../test/helpers/postgres/with-client.ts';
import { type System, startSystem } from '../test/helpers/service/system.ts';
import { print } from './command-line.ts';
import { endorse } from './endorse.ts';
import { formatDurations } from './statistics.ts';
import { peakBytesOf } from './stream/process-usage.ts';

const TOPIC = 'endorsement-submissions';
const MB = 1024 * 1024;

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string', default: '' } },
});
const attackMs = Number(options.seconds) * 1000;

const system = await startSystem();
/** Makes a key of the plan whose limits of requests do not stop an attack before its own bound does. */
const newKey = (account: string) => createKey({ databaseUrl: system.databaseUrl, account, plan: 'internal' });
const own = await newKey('other');
const attackers = [await newKey('attacker-1'), await newKey('attacker-2')];
const sockets: Socket[] = [];

/** Sends requests on a connection whose answers are never read. */
function sendUnread(text: string): void {
  const { port, hostname } = new URL(system.base);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.pause();
  socket.write(text);
  sockets.push(socket);
}

const request = (path: string, key: string | undefined) =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;

const ask = async (path: string, key = own): Promise<Response> => {
  const response = await fetch(`${system.base}${path}`, { headers: { Authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response;
};

interface Contest {
  id: number;
}
interface Endorser {
  slug: string;
}
const dataOf = async <Item>(path: string): Promise<Item[]> => {
  const response = await fetch(`${system.base}${path}`, { headers: { Authorization: `Bearer ${own}` } });
  return ((await response.json()) as { data: Item[] }).data;
};
const [contest, another] = await dataOf<Contest>('/v1/contests?limit=2&contest_kinds=candidate');
const endorsers = await dataOf<Endorser>('/v1/endorsers?limit=500');
if (!contest || !another) throw new Error('The demo has no two contests.');
const anotherId = another.id;
async function query<Row>(text: string, values: unknown[]): Promise<Row[]> {
  return withClient(system.databaseUrl, async (client) => (await client.query(text, values)).rows as Row[]);
}

const contestId = contest.id;
const [found] = await query<{ key: string; choice: string }>(
  `SELECT c.key, h.key AS choice FROM contests c JOIN choices h ON h.contest_id = c.id WHERE c.id = $1 ORDER BY h.id`,
  [contestId],
);
const { key: keyOfContest, choice } = found ?? { key: '', choice: '' };

const position = (picks: SubmittedPick[], endorser = endorsers[0]?.slug ?? ''): Submission => ({
  action: 'position',
  endorser,
  contest: keyOfContest,
  picks,
});

async function sendValues(values: readonly Buffer[]): Promise<void> {
  const client = startKafkajsClient(system.brokers, TOPIC);
  const producer = await client.open({ codec: 'gzip' });
  const key = Buffer.from(endorsers[0]?.slug ?? '');
  for (const [index, value] of values.entries()) await producer.send([{ partition: index % 12, key, value }]);
  await producer.close();
}

const picks = (count: number) => submissionCodec.encode(position(Array<SubmittedPick>(count).fill(pick(''))));

/** Ways to attack. Each resolves when the attack continues by itself. */
const attacks: Record<string, () => Promise<void>> = {
  'nothing, for comparison': async () => {},
  '3 submissions of 1,200,000 picks and 20 of 75,000, with gzip': () =>
    sendValues([...Array<Buffer>(3).fill(picks(1_200_000)), ...Array<Buffer>(20).fill(picks(75_000))]),
  '200 MB of zeros as 10,000 submissions, with gzip': async () => {
    const client = startKafkajsClient(system.brokers, TOPIC);
    const producer = await client.open({ codec: 'gzip' });
    const record = { partition: 3, key: null, value: Buffer.alloc(20_000) };
    for (let sent = 0; sent < 10; sent += 1) await producer.send(Array(1000).fill(record));
    await producer.close();
  },
  '50 long polls of 1,000 large events that are never read': async () => {
    for (let index = 0; index < 50; index += 1) {
      sendUnread(request('/v1/events?from=earliest&limit=1000', attackers[0]));
    }
  },
  '54 recommendations of everything that are never read, by two accounts': async () => {
    for (let index = 0; index < 54; index += 1)
      sendUnread(request('/v1/recommendations', attackers[index % 2]));
  },
  '1,500 requests on each of 5 connections, without a key': async () => {
    for (let index = 0; index < 5; index += 1) sendUnread(request('/v1/states', undefined).repeat(1500));
  },
  '58 recommendations at once, by one account': async () => {
    void Promise.allSettled(Array.from({ length: 58 }, () => ask('/v1/recommendations', attackers[0])));
  },
  '12 exports that are never read, by two accounts': async () => {
    for (let index = 0; index < 12; index += 1) {
      const text = request('/v1/endorsements', attackers[index % 2]);
      sendUnread(text.replace('Host: a', 'Host: a\r\nAccept: application/x-ndjson'));
    }
  },
};

/** The requests of another account, each repeated during an attack. */
const others = {
  'a list': () => ask('/v1/contests?limit=20'),
  'a recommendation': () => ask(`/v1/recommendations?contest=${anotherId}`),
  'a digest': () => ask(`/v1/digest?endorsers=${endorsers[1]?.slug}`),
  healthz: () => ask('/healthz'),
};

/** Starts the count of a process's highest memory anew. */
const forgetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5');
const megabytes = (pid: number) => `${Math.round(peakBytesOf(pid) / MB)} MB`;

async function measure({ pids }: System): Promise<void> {
  const times = new Map<string, number[]>();
  const failures = new Map<string, number>();
  let isOver = false;
  const repeat = async (name: string, send: () => Promise<Response>) => {
    while (!isOver) {
      const start = performance.now();
      const { status } = await send();
      const all = times.get(name) ?? [];
      all.push(performance.now() - start);
      times.set(name, all);
      if (status !== 200) failures.set(name, (failures.get(name) ?? 0) + 1);
      await sleep(20);
    }
  };
  const loops = Object.entries(others).map(([name, send]) => repeat(name, send));
  await sleep(attackMs);
  isOver = true;
  await Promise.all(loops);
  for (const [name, all] of times) {
    const failed = failures.get(name) ?? 0;
    print(`  ${name.padEnd(18)} ${formatDurations(all)}${failed > 0 ? `, ${failed} failed` : ''}`);
  }
  print(`  highest memory     gateway ${megabytes(pids.gateway ?? 0)}, apply ${megabytes(pids.apply ?? 0)}`);
}

/** Submits and waits for the change, to see that submissions of others still arrive. */
async function timeSubmission(round: number): Promise<void> {
  const endorser = endorsers[2]?.slug ?? '';
  const start = performance.now();
  const statement = `Round ${round}.`;
  const producer = await openProducer(system.brokers, TOPIC);
  await producer.send([endorse({ endorser, contest: keyOfContest, choice }, { statement })]);
  await producer.close();
  while (!(await isApplied(statement))) await sleep(20);
  print(`  a submission       ${Math.round(performance.now() - start)} ms until it is applied`);
}

const isApplied = async (statement: string) =>
  (await query('SELECT 1 FROM endorsements WHERE statement = $1', [statement])).length > 0;

/** Gives many endorsements of the contest a statement of 20 KB, so that events are large. */
async function makeLargeEvents(): Promise<void> {
  const submissions = endorsers.slice(0, 400).map(
    ({ slug }): Submission => ({
      ...position([pick(choice, { statement: 'Large. '.repeat(2800) })], slug),
      action: 'endorse',
    }),
  );
  await submitAll({ brokers: system.brokers, topic: TOPIC, submissions });
}
await makeLargeEvents();

let round = 0;
for (const [name, attack] of Object.entries(attacks)) {
  if (!name.includes(options.only)) continue;
  round += 1;
  print(`${name}:`);
  for (const pid of [system.pids.gateway, system.pids.apply]) if (pid) forgetPeak(pid);
  await attack();
  await Promise.all([measure(system), timeSubmission(round)]);
  for (const socket of sockets.splice(0)) socket.destroy();
  await sleep(500);
}
await system.stop();
process.exit(0);
