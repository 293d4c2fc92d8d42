/**
 * Measures the cost of a change in a gateway with 10,000 streams of different filters, 1 % of which match. The peer is
 * a gateway with only the matching streams. Changes come one at a time, fifty a second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type System, startSystem } from '../../test/helpers/service/system.ts';
import { formatSpread, spreadOf } from '../statistics.ts';
import { cpuMsOf } from './process-usage.ts';
import { Publisher } from './publisher.ts';
import { ReaderPool } from './reader-pool.ts';

const STREAMS = 10_000;
const MATCHING = 100;
const CHANGES = 500;
const INTERVAL_MS = 20;

/**
 * Streams of different filters. The first endorsers are active: a change of one of them matches a hundredth of the
 * streams.
 */
export function selectiveStreams(endorsers: readonly string[]): { active: string[]; paths: string[] } {
  const active = endorsers.slice(0, STREAMS / MATCHING);
  const silent = endorsers.slice(active.length);
  const paths = Array.from({ length: STREAMS }, (_, index) => {
    const quiet = silent[Math.floor(index / active.length)];
    return `/v1/stream?endorsers=${active[index % active.length]},${quiet}`;
  });
  if (new Set(paths).size < STREAMS) throw new Error('The demo has too few endorsers for so many filters.');
  return { active, paths };
}

/** @param rounds the number of measurements of both, in turn */
export async function benchSelective(rounds: number, print: (line: string) => void): Promise<void> {
  const system = await startSystem();
  const publisher = await Publisher.open(system);
  const { active, paths: selective } = selectiveStreams(publisher.endorsers);
  const alone: number[] = [];
  const among: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await measure(system, publisher, Array(MATCHING).fill('/v1/stream'), active.length));
    among.push(await measure(system, publisher, selective, active.length));
  }
  print(`processor time a change: middle (lowest to highest) of ${rounds} rounds`);
  print(`  ${MATCHING} streams that match: ${formatSpread(alone, 2)} ms`);
  print(`  ${STREAMS} streams, of which ${MATCHING} match: ${formatSpread(among, 2)} ms`);
  print(`  ratio ${spreadOf(among, (ms, index) => ms / (alone[index] ?? Number.NaN), 2)}`);
  await publisher.close();
  await system.stop();
}

/** Publishes changes of the first endorsers in turn, one at a time, fifty a second. */
export async function publishSteadily(
  publisher: Publisher,
  changes: number,
  endorsers: number,
): Promise<void> {
  for (let change = 0; change < changes; change += 1) {
    await Promise.all([publisher.send(publisher.make(1, change % endorsers)), sleep(INTERVAL_MS)]);
  }
}

/** The processor time of a change in milliseconds, beyond the cost of the open streams themselves. */
async function measure(
  { base, key, gatewayPid }: System,
  publisher: Publisher,
  paths: string[],
  endorsers: number,
): Promise<number> {
  const pool = await ReaderPool.open({ port: Number(new URL(base).port), key, paths });
  await sleep(2000);
  const idle = await cpuDuring(gatewayPid, () => sleep(CHANGES * INTERVAL_MS));
  const busy = await cpuDuring(gatewayPid, async () => {
    await publishSteadily(publisher, CHANGES, endorsers);
  });
  await sleep(1000);
  const expected = CHANGES * MATCHING;
  const { events: delivered } = await pool.count();
  pool.close();
  if (delivered !== expected) throw new Error(`${delivered} deliveries instead of ${expected}.`);
  return (busy - idle) / CHANGES;
}

async function cpuDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = cpuMsOf(pid);
  await work();
  return cpuMsOf(pid) - before;
}
