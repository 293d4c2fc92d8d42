import { setTimeout as sleep } from 'node:timers/promises';
import { topicNames } from '../../kafka/topic-names.ts';
import { createRandom } from '../../ops/demo/random.ts';
import { submitAll } from '../../ops/submit/submit-all.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { withClient } from '../helpers/postgres/with-client.ts';
import { until } from '../helpers/until.ts';
import { createSubmission, SOAK_BALLOT } from './ballot.ts';
import { drain, makeChanges } from './changes.ts';
import { Cluster } from './cluster.ts';
import { ReaderProcesses } from './reader-process.ts';
import type { ReadersVerdict } from './readers.ts';

export interface LostKafkaOptions {
  streams: number;
  /** Changes before Kafka is lost, all of which must be written again. */
  history: number;
  /** Changes a second meanwhile. */
  rate: number;
  readerProcesses: number;
  /** The average time before a reader loses its connection or pauses, in milliseconds. */
  cutMs: number;
  /** Called with a line about each step. */
  report: (line: string) => void;
}

export interface LostKafkaReport extends ReadersVerdict {
  /** The number of changes in the log at the end. */
  changes: number;
  /**
   * Times since Kafka's death, in milliseconds: new topics, the window written again, and a new change at a gateway.
   */
  topicsMs: number;
  rebuiltMs: number;
  firstChangeMs: number;
}

const OPEN_TIMEOUT_MS = 120_000;
const REBUILD_TIMEOUT_MS = 600_000;
const FINISH_TIMEOUT_MS = 300_000;
const LOAD_MS = 5000;
const GATEWAY_ENV = { STREAM_HEARTBEAT_MS: '1000' };

/**
 * Kills Kafka with all of its data under load, with readers at every place of the window, and measures how soon the
 * stream continues. It compares the frames of every stream with the change log.
 */
export async function runLostKafka(options: LostKafkaOptions): Promise<LostKafkaReport> {
  const { streams, history, rate, readerProcesses, cutMs, report } = options;
  const cluster = await Cluster.start(SOAK_BALLOT, GATEWAY_ENV);
  const { databaseUrl, key, brokers } = cluster;
  const random = createRandom(1);
  const submissions = Array.from({ length: history }, (_, number) => createSubmission(number, random));
  await submitAll({ brokers, topic: topicNames().submissions, submissions });
  report(`${await drain(cluster)} changes before`);
  const bases = cluster.gateways.map(({ base }) => base);
  const readers = new ReaderProcesses(readerProcesses, {
    ...{ streams, bases, choice: 'any', key, databaseUrl, cutMs },
  });
  const over = new AbortController();
  try {
    await until(
      'most streams to be open',
      async () => (await readers.countConnected()) > streams * 0.9,
      OPEN_TIMEOUT_MS,
    );
    const changing = makeChanges(cluster, random.fork('changes'), rate, over.signal);
    await sleep(LOAD_MS);
    report(`${await readers.countConnected()} streams open; Kafka dies`);
    const startedAt = performance.now();
    const since = () => performance.now() - startedAt;
    await cluster.loseKafka();
    const topicsMs = since();
    const after = await untilRebuilt(databaseUrl);
    const rebuiltMs = since();
    await until('a new change', async () => (await latest(cluster)) > after, REBUILD_TIMEOUT_MS);
    const firstChangeMs = since();
    report(`${await readers.countConnected()} streams open; the stream continues`);
    await sleep(LOAD_MS);
    over.abort();
    await changing;
    const changes = await drain(cluster);
    const verdict = await readers.finish(changes, FINISH_TIMEOUT_MS);
    return { ...verdict, changes, topicsMs, rebuiltMs, firstChangeMs };
  } finally {
    over.abort();
    readers.stop();
    await cluster.stop();
  }
}

/** Waits until the second generation is written. @returns the last sequence of the first */
async function untilRebuilt(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    let after = -1;
    const isRebuilt = async () => {
      const { rows } = await client.query<{ after: string }>(
        'SELECT after_sequence AS after FROM stream_generation WHERE generation = 2 AND is_complete',
      );
      after = Number(rows[0]?.after ?? -1);
      return rows.length > 0;
    };
    await until('the window is written again', isRebuilt, REBUILD_TIMEOUT_MS);
    return after;
  });
}

/** The newest sequence that a gateway can deliver; -1 while it is unknown. */
async function latest({ gateways, key }: Cluster): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${gateways[0]?.base}/v1/events`, { headers });
  if (response.status !== 200) return -1;
  const { next_cursor: cursor } = (await response.json()) as { next_cursor: string };
  return parseCursor(cursor).sequence;
}
