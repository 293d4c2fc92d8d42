import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../helpers/until.ts';
import { SOAK_BALLOT } from './ballot.ts';
import { ChangeTimer, type TimedChange } from './change-timer.ts';
import { drain } from './changes.ts';
import { Cluster } from './cluster.ts';
import { ReaderProcesses } from './reader-process.ts';
import type { ReadersVerdict } from './readers.ts';
import { type ReadAnswer, Reads } from './reads.ts';

export interface BrokerRestartsOptions {
  streams: number;
  /** Changes a second meanwhile. */
  rate: number;
  readerProcesses: number;
  /** The time before the first restart, and between restarts, in milliseconds. */
  calmMs: number;
  /** Called with a line about each step. */
  report: (line: string) => void;
}

/** A part of the run. */
interface Stretch {
  /** The restarted broker; 0 if there was none. */
  broker: number;
  durationMs: number;
  /** The changes that were due in it. */
  changes: TimedChange[];
  /** Requests in it, by path and then by the status of the answer. */
  answers: Record<string, Record<string, number>>;
}

export interface BrokerRestartsReport extends ReadersVerdict {
  /** The number of changes in the log at the end. */
  changes: number;
  stretches: Stretch[];
}

const OPEN_TIMEOUT_MS = 120_000;
const FINISH_TIMEOUT_MS = 120_000;
const READ_EVERY_MS = 50;
/** Little memory of the feed, so that replays read Kafka. */
const GATEWAY_ENV = { STREAM_HEARTBEAT_MS: '1000', FEED_MEMORY_MB: '1' };
const READS = ['/v1/endorsements?limit=1', '/v1/events?from=earliest&limit=1000'];

/**
 * Restarts three secured brokers one after another under load. It compares the frames of every stream with the change
 * log.
 */
export async function runBrokerRestarts(options: BrokerRestartsOptions): Promise<BrokerRestartsReport> {
  const { streams, rate, readerProcesses, calmMs, report } = options;
  const cluster = await Cluster.start(SOAK_BALLOT, GATEWAY_ENV, undefined, { secured: true });
  const { databaseUrl, key } = cluster;
  const bases = cluster.gateways.map(({ base }) => base);
  const readers = new ReaderProcesses(readerProcesses, {
    ...{ streams, bases, choice: 'any', key, databaseUrl, cutMs: 0 },
  });
  const over = new AbortController();
  const reads = new Reads({ bases: bases.slice(1), key, paths: READS, pauseMs: READ_EVERY_MS }, over.signal);
  const stretches: Stretch[] = [];
  try {
    const allOpen = async () => (await readers.countConnected()) === streams;
    await until('all streams to be open', allOpen, OPEN_TIMEOUT_MS);
    const timer = await ChangeTimer.start(cluster, rate);
    const begins: { broker: number; startedAt: number; durationMs: number; answers: Stretch['answers'] }[] =
      [];
    const measure = async (broker: number, action: () => Promise<unknown>) => {
      reads.take();
      const startedAt = performance.now();
      await action();
      const durationMs = performance.now() - startedAt;
      begins.push({ broker, startedAt, durationMs, answers: countAnswers(reads.take()) });
      report(`${broker === 0 ? 'calm' : `broker ${broker}`}: ${(durationMs / 1000).toFixed(1)} s`);
    };
    await sleep(calmMs);
    await measure(0, () => sleep(calmMs));
    for (const index of [0, 1, 2]) {
      await measure(index + 1, () => cluster.restartBroker(index));
      await sleep(calmMs);
    }
    await timer.finish();
    for (const { startedAt, ...stretch } of begins) {
      stretches.push({ ...stretch, changes: timer.between(startedAt, startedAt + stretch.durationMs) });
    }
    over.abort();
    const changes = await drain(cluster);
    const verdict = await readers.finish(changes, FINISH_TIMEOUT_MS);
    return { ...verdict, changes, stretches };
  } finally {
    over.abort();
    readers.stop();
    await reads.done;
    await cluster.stop();
  }
}

/** The number of answers with each status, by path. */
function countAnswers(answers: readonly ReadAnswer[]): Stretch['answers'] {
  const counts: Stretch['answers'] = {};
  for (const { path, status } of answers) {
    counts[path] ??= {};
    counts[path][status] = (counts[path][status] ?? 0) + 1;
  }
  return counts;
}
