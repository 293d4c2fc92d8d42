/**
 * `npm run test:mirror`: MirrorMaker 2 mirrors a running service's topics to another cluster, with other offsets. Then
 * the first cluster is lost, and the service continues with the mirror. Every cursor must stay valid, every event must
 * keep its id and bytes, and waiting submissions must be applied. The exit status is 1 otherwise.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { GroupOffsets } from '../../kafka/reading/group-offsets.ts';
import { loadBounds } from '../../kafka/reading/read-topic.ts';
import { applyGroup, topicNames } from '../../kafka/topic-names.ts';
import { applyTopics } from '../../kafka/topics/topics.ts';
import { createKey } from '../../ops/commands/keys.ts';
import { migrateDatabase } from '../../ops/commands/migrate.ts';
import { startKafka } from '../../ops/local/servers/kafka/broker.ts';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { startPostgres } from '../../ops/local/servers/postgres/server.ts';
import { submitAll } from '../../ops/submit/submit-all.ts';
import type { Brokers } from '../../service/brokers.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { startKafkajsClient } from '../helpers/kafka/outside-javascript.ts';
import { stopWhenInterrupted } from '../helpers/service/interrupted.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { untilReady } from '../helpers/service/system.ts';
import { until } from '../helpers/until.ts';
import { startMirror } from './mirror-maker.ts';

const CHANGES = 3000;
/** Submissions that are mirrored, but not applied before the loss of the cluster. */
const WAITING = 40;
const ENDORSERS = ['bakers-local-1', 'coast-gazette', 'nation-herald'];
const PARTITIONS = 12;
const PATIENCE_MS = 180_000;
const { submissions: topic } = topicNames();

const print = (line: string) => process.stdout.write(`${line}\n`);
const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-mirror-'));
const cleanUps: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })];
const cleanUp = async () => {
  for (const work of cleanUps.splice(0).reverse()) await work();
};
stopWhenInterrupted(cleanUp);

const [postgres, home, away] = await Promise.all([
  startPostgres({ dir: path.join(dir, 'postgres') }),
  startKafka({ dir: path.join(dir, 'home') }),
  startKafka({ dir: path.join(dir, 'away') }),
]);
cleanUps.push(
  () => postgres.stop(),
  () => home.stop(),
  () => away.stop(),
);
await migrateDatabase(postgres.url);
await loadCatalogue(postgres.url, SMALL_BALLOT);
const key = await createKey({ databaseUrl: postgres.url, account: 'mirror', plan: 'internal' });
const port = await findFreePort();
const base = `http://127.0.0.1:${port}`;
let sent = 0;

/** Starts a gateway and consumers on a cluster. */
async function startService({ addresses }: Brokers): Promise<ServiceProcess[]> {
  const env = { DATABASE_URL: postgres.url, KAFKA_BROKERS: addresses.join(','), LOG_LEVEL: 'warn' };
  const gateway = startProcess('gateway/main.ts', { ...env, PORT: String(port), FEED_MEMORY_MB: '1' });
  const processes = [gateway, startProcess('consumers/main.ts', env)];
  cleanUps.push(...processes.map((each) => () => each.kill()));
  await untilReady(base);
  return processes;
}

async function submit(brokers: Brokers, count: number): Promise<void> {
  const submissions = Array.from({ length: count }, () => {
    sent += 1;
    return endorse(ENDORSERS[sent % 3] ?? '', 'mayor', 'ann', { statement: `Statement ${sent}.` });
  });
  await submitAll({ brokers, topic, submissions });
}

/** Leaves markers of transactions in every partition. A mirror lacks them, so its offsets differ. */
async function leaveGaps(brokers: Brokers): Promise<void> {
  const producer = await startKafkajsClient(brokers, topic).open({ transactionalId: 'gaps' });
  await producer.begin();
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    await producer.send([{ partition, key: null, value: Buffer.from('aborted') }]);
  }
  await producer.abort();
  await producer.close();
}

/** The relevant part of an event; the whole event is compared. */
interface EventBody {
  id: string;
  endorsement: { statement: string };
}

async function readEvents(query: string): Promise<EventBody[]> {
  const events: EventBody[] = [];
  for (let start = query; ; ) {
    const response = await fetch(`${base}/v1/events?limit=1000&${start}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const body = (await response.json()) as { data: EventBody[]; has_more: boolean; next_cursor: string };
    if (response.status !== 200) throw new Error(`${query}: ${JSON.stringify(body)}`);
    events.push(...body.data);
    if (!body.has_more) return events;
    start = `cursor=${body.next_cursor}`;
  }
}

const untilEvents = (count: number) =>
  until(
    `${count} events`,
    async () => (await readEvents('from=earliest').catch(() => [])).length >= count,
    PATIENCE_MS,
  );

async function countRecords(brokers: Brokers, name: string): Promise<number> {
  const bounds = await loadBounds({ brokers, topic: name, clientId: 'mirror' }).catch(() => []);
  return bounds.reduce((sum, { end }) => sum + end, 0);
}

const faults: string[] = [];
try {
  await applyTopics({
    brokers: home.brokers,
    topicPrefix: '',
    retentionMs: 604_800_000,
    changesPartitions: 12,
  });
  await leaveGaps(home.brokers);
  const first = await startService(home.brokers);
  const group = applyGroup('');
  const mirror = await startMirror(path.join(dir, 'mirror'), {
    ...{ home: `127.0.0.1:${home.port}`, away: `127.0.0.1:${away.port}`, group },
  });
  cleanUps.push(() => mirror.stop());
  await submit(home.brokers, CHANGES);
  await untilEvents(CHANGES);
  const before = await readEvents('from=earliest');
  const { changes } = topicNames();
  await until(
    'the changes are mirrored',
    async () => (await countRecords(away.brokers, changes)) >= CHANGES,
    PATIENCE_MS,
  );
  const offsets = new GroupOffsets({ brokers: away.brokers, groupId: group, topic });
  const translated = async () =>
    [...(await offsets.load()).values()].reduce((sum, offset) => sum + offset, 0);
  await until(
    'the offsets of the group are translated',
    async () => (await translated()) > CHANGES / 2,
    PATIENCE_MS,
  );
  await first[1]?.kill();
  await submit(home.brokers, WAITING);
  await until(
    'all submissions are mirrored',
    async () => (await countRecords(away.brokers, topic)) >= CHANGES + WAITING,
    PATIENCE_MS,
  );
  print(
    `${CHANGES} changes and ${WAITING} submissions more are mirrored; the group is translated to ${await translated()}`,
  );
  print(
    `the home cluster has ${await countRecords(home.brokers, topic)} offsets, the other ${await countRecords(away.brokers, topic)}`,
  );
  await offsets.close();
  await mirror.stop();
  for (const each of first) await each.kill();
  await home.stop();

  const startedAt = performance.now();
  const second = await startService(away.brokers);
  await untilEvents(CHANGES + WAITING);
  print(
    `the service continues with the mirror after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  );
  const all = await readEvents('from=earliest');
  if (!isDeepStrictEqual(all.slice(0, CHANGES), before)) faults.push('events have changed.');
  for (let index = 0; index < CHANGES; index += 97) {
    const rest = await readEvents(`cursor=${before[index]?.id}`);
    if (!isDeepStrictEqual(rest, all.slice(index + 1)))
      faults.push(`the cursor after ${index + 1} leads astray.`);
  }
  print(`${all.length - CHANGES - WAITING} events of submissions that were applied again`);
  const statements = new Set(all.map(({ endorsement }) => endorsement.statement));
  for (let number = 1; number <= CHANGES + WAITING; number += 1) {
    if (!statements.has(`Statement ${number}.`)) faults.push(`statement ${number} is lost.`);
  }
  print(
    second
      .map((each) => each.output())
      .join('')
      .slice(0, 2000),
  );
} finally {
  await cleanUp();
}
for (const fault of faults) print(`FAULT ${fault}`);
print(faults.length === 0 ? 'Every cursor stayed valid, and nothing was lost.' : 'The failover failed.');
process.exit(faults.length === 0 ? 0 : 1);
