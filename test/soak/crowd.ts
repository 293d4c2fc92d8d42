import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../ops/demo/random.ts';
import { until } from '../helpers/until.ts';
import { SOAK_BALLOT } from './ballot.ts';
import { drain, makeChanges } from './changes.ts';
import { Cluster } from './cluster.ts';
import { ReaderProcesses } from './reader-process.ts';
import type { ReadersVerdict } from './readers.ts';
import { type ReadAnswer, Reads } from './reads.ts';

export interface CrowdOptions {
  streams: number;
  /** Changes a second meanwhile. */
  rate: number;
  readerProcesses: number;
  /** The duration of reads before the crowd moves, in milliseconds. */
  calmMs: number;
  /** Called with a line about each step. */
  report: (line: string) => void;
}

export interface CrowdReport extends ReadersVerdict {
  /** The time from SIGTERM to the gateway's end, in milliseconds. */
  stoppedMs: number;
  /** The time from SIGTERM until every stream was open at the other gateway, in milliseconds. */
  returnedMs: number;
  /** The durations of reads at the other gateway, in milliseconds: before the crowd came, and during its arrival. */
  readsBefore: number[];
  readsDuring: number[];
}

const RETURN_TIMEOUT_MS = 120_000;
const OPEN_TIMEOUT_MS = 120_000;
const END_TIMEOUT_MS = 60_000;
const READ_EVERY_MS = 20;
const READS = ['/v1/endorsements?limit=100', '/v1/contests?states=OR', '/v1/elections'];
const GATEWAY_ENV = { STREAM_HEARTBEAT_MS: '2000' };

/**
 * Opens all streams at one gateway, ends it in order, and measures their return at the other one and the reads there
 * meanwhile. It compares the frames of every stream with the change log.
 */
export async function runCrowd(options: CrowdOptions): Promise<CrowdReport> {
  const { streams, rate, readerProcesses, calmMs, report } = options;
  const cluster = await Cluster.start(SOAK_BALLOT, GATEWAY_ENV);
  const { databaseUrl, key } = cluster;
  const bases = cluster.gateways.map(({ base }) => base);
  const plan = { streams, bases, choice: 'next', key, databaseUrl, cutMs: 0 } as const;
  const readers = new ReaderProcesses(readerProcesses, plan);
  const over = new AbortController();
  const changing = makeChanges(cluster, createRandom(1), rate, over.signal);
  const reads = new Reads({ bases: bases.slice(1), key, paths: READS, pauseMs: READ_EVERY_MS }, over.signal);
  try {
    const allOpen = async () => (await readers.countConnected()) === streams;
    await until('all streams to be open', allOpen, OPEN_TIMEOUT_MS);
    report(`${streams} streams are open at one gateway`);
    reads.take();
    await sleep(calmMs);
    const readsBefore = timesOf(reads.take());

    const started = performance.now();
    await cluster.stopGateway(0);
    const stoppedMs = performance.now() - started;
    report(`the gateway has ended after ${stoppedMs.toFixed(0)} ms`);
    await until('all streams to be back', allOpen, RETURN_TIMEOUT_MS);
    const returnedMs = performance.now() - started;
    const readsDuring = timesOf(reads.take());
    report(`all streams are back after ${returnedMs.toFixed(0)} ms`);

    over.abort();
    await changing;
    const verdict = await readers.finish(await drain(cluster), END_TIMEOUT_MS);
    return { ...verdict, stoppedMs, returnedMs, readsBefore, readsDuring };
  } finally {
    over.abort();
    readers.stop();
    await Promise.allSettled([changing, reads.done]);
    await cluster.stop();
  }
}

/** The durations of these reads, in milliseconds. @throws Error if one of them failed */
function timesOf(answers: readonly ReadAnswer[]): number[] {
  const failed = answers.find(({ status }) => status !== 200);
  if (failed) throw new Error(`A read was answered ${failed.status}.`);
  return answers.map(({ ms }) => ms);
}
