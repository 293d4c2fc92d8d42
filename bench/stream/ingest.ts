/**
 * Measures the sustained rate at which submissions become events: through Kafka, apply, Postgres, the relay, Kafka
 * again and a gateway, all on this machine. Every submission changes an endorsement. Beside it, it measures Kafka
 * alone: the same submissions, produced to another topic and fetched from there. It also reports each process's
 * processor time for a submission, because two cores share all of the work.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { openProducer } from '../../kafka/writing/submissions-producer.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import type { Brokers } from '../../service/brokers.ts';
import { createTopic } from '../../test/helpers/kafka/topics.ts';
import { withClient } from '../../test/helpers/postgres/with-client.ts';
import { type System, startSystem } from '../../test/helpers/service/system.ts';
import { endorse, type Subject } from '../endorse.ts';
import { formatSpread, spreadOf } from '../statistics.ts';
import { cpuMsOfTree } from './process-usage.ts';
import { Publisher } from './publisher.ts';

const WARM_UP_SUBMISSIONS = 50_000;
const BATCH = 1000;
const RAW_TOPIC = 'bench-ingest';
const LIMITS = { maxWaitMs: 100, partitionMaxBytes: 1024 * 1024 };

interface Message {
  key: string;
  value: Buffer;
}

/**
 * @param rounds the number of measurements of both, in turn
 * @param submissions the number of submissions in a round
 */
export async function benchIngest(
  rounds: number,
  print: (line: string) => void,
  submissions: number,
): Promise<void> {
  const system = await startSystem();
  const places = await openPlaces(system);
  await withAdmin(system.brokers, (admin) => createTopic(admin, { topic: RAW_TOPIC, numPartitions: 12 }));
  const service: number[] = [];
  const kafka: number[] = [];
  const usage: Record<string, number>[] = [];
  // The first round warms up.
  for (let round = -1; round < rounds; round += 1) {
    const length = round < 0 ? WARM_UP_SUBMISSIONS : submissions;
    const messages = createMessages(places, round, length);
    const before = readUsage(system);
    const own = await measureService(system, messages);
    const after = readUsage(system);
    const raw = await measureKafka(system.brokers, messages);
    if (round < 0) continue;
    service.push(own);
    kafka.push(raw);
    const perSubmission = Object.entries(after).map(([name, ms]) => [
      name,
      ((ms - (before[name] ?? 0)) * 1000) / messages.length,
    ]);
    usage.push(Object.fromEntries(perSubmission));
  }
  print(`${submissions} submissions a round: middle (lowest to highest) of ${rounds} rounds`);
  print(`  submissions to events: ${formatSpread(service, 0)} a second`);
  print(`  Kafka alone: ${formatSpread(kafka, 0)} a second`);
  print('  processor time for a submission, in microseconds');
  for (const name of Object.keys(usage[0] ?? {})) {
    print(`    ${name.padEnd(10)}${spreadOf(usage, (each) => each[name] ?? 0)}`);
  }
  await system.stop();
}

/** By process: the processor time so far, in milliseconds. */
function readUsage({ pids }: System): Record<string, number> {
  const servers = Object.entries(pids).map(([name, pid]) => [name, cpuMsOfTree(pid)] as const);
  const { user, system } = process.cpuUsage();
  const submits = (user + system) / 1000;
  const all = servers.reduce((sum, [, ms]) => sum + ms, submits);
  return { ...Object.fromEntries(servers), submits, all };
}

/** Waits until the demo is applied and relayed. @returns the current endorsements without a rank */
export async function openPlaces(system: System): Promise<Subject[]> {
  await (await Publisher.open(system)).close();
  const query = `
    SELECT e.slug AS endorser, c.key AS contest, h.key AS choice
    FROM endorsements n JOIN endorsers e ON e.id = n.endorser_id JOIN choices h ON h.id = n.choice_id
      JOIN contests c ON c.id = h.contest_id
    WHERE n.rank IS NULL ORDER BY n.id`;
  const { rows } = await withClient(system.databaseUrl, (client) => client.query<Subject>(query));
  return rows;
}

/** Submissions that each change an endorsement. */
export function createMessages(places: Subject[], round: number, length: number): Message[] {
  return Array.from({ length }, (_, index) => createMessage(places, round, index));
}

function createMessage(places: Subject[], round: number, index: number): Message {
  const place = places[index % places.length];
  if (!place) throw new Error('The demo has no endorsements.');
  const statement = `Round ${round}, number ${index}: we have looked at every candidate and stand by our choice.`;
  const source = { source_url: 'https://example.org/endorsements', published_on: '2026-10-01' };
  return endorse(place, { statement, ...source });
}

async function produce(brokers: Brokers, topic: string, messages: Message[]): Promise<void> {
  const producer = await openProducer(brokers, topic);
  for (let start = 0; start < messages.length; start += BATCH) {
    await producer.send(messages.slice(start, start + BATCH));
  }
  await producer.close();
}

/** Submissions a second, from sending the first until a gateway can deliver the last. */
export async function measureService({ base, key, brokers }: System, messages: Message[]): Promise<number> {
  const latest = async () => {
    const response = await fetch(`${base}/v1/events`, { headers: { Authorization: `Bearer ${key}` } });
    const { next_cursor } = (await response.json()) as { next_cursor: string };
    return parseCursor(next_cursor).sequence;
  };
  const before = await latest();
  const start = performance.now();
  await produce(brokers, topicNames().submissions, messages);
  while ((await latest()) < before + messages.length) await sleep(20);
  return (messages.length * 1000) / (performance.now() - start);
}

async function measureKafka(brokers: Brokers, messages: Message[]): Promise<number> {
  const log = new TopicReader({ brokers, topic: RAW_TOPIC, clientId: 'bench' });
  const leaders = await log.sources();
  const [node = 0] = leaders;
  const offsets = await withAdmin(brokers, (admin) => admin.fetchTopicOffsets(RAW_TOPIC));
  const open = new Map(offsets.map(({ partition, high }) => [partition, Number(high)]));
  const start = performance.now();
  const produced = produce(brokers, RAW_TOPIC, messages);
  for (let count = 0; count < messages.length; ) {
    for (const { partition, records, nextOffset } of await log.fetch(node, open, LIMITS)) {
      count += records.length;
      open.set(partition, nextOffset);
    }
  }
  await produced;
  const perSecond = (messages.length * 1000) / (performance.now() - start);
  await log.close();
  return perSecond;
}
