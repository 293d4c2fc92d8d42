import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../ops/demo/random.ts';
import { until } from '../helpers/until.ts';
import { SOAK_BALLOT } from './ballot.ts';
import { drain, makeChanges } from './changes.ts';
import { Cluster } from './cluster.ts';
import { ReaderProcesses } from './reader-process.ts';
import type { ReadersVerdict } from './readers.ts';

export interface SoakOptions {
  /** How long changes are made, in milliseconds; longer where not each process was killed once by then. */
  durationMs: number;
  streams: number;
  /** Changes a second. */
  rate: number;
  /** How long it is between the kills, on average, in milliseconds. */
  killEveryMs: number;
  /** How long a connection lasts before its reader loses it or stops reading for a while, on average. */
  cutMs: number;
  readerProcesses: number;
  seed: number;
  /** Told in a line what happens. */
  report: (line: string) => void;
}

export interface SoakReport extends ReadersVerdict {
  /** How many changes the log has in the end. */
  changes: number;
  kills: Record<Victim, number>;
  /** Of each gateway that lived long enough to say so: how its memory grew after warming up. */
  memory: { gateway: number; minutes: number; firstMb: number; lastMb: number; mbPerMinute: number }[];
}

type Victim = 'gateway 0' | 'gateway 1' | 'consumers' | 'broker';

const SAMPLE_MS = 2000;
const WARM_UP_MS = 60_000;
const MAX_AWAY_MS = 2000;
const DRAIN_MS = 120_000;
/** In the order in which they are killed, again and again. */
const VICTIMS: Victim[] = ['gateway 0', 'consumers', 'broker', 'gateway 1'];
/** Short, so that readers whose filter matches nothing are told where the end is. */
const GATEWAY_ENV = { STREAM_HEARTBEAT_MS: '1000' };

/**
 * Runs a whole service under load, kills its processes and its readers' connections again and again, and holds what
 * every reader received to the change log.
 */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { streams, cutMs, readerProcesses, seed, report } = options;
  const random = createRandom(seed);
  const cluster = await Cluster.start(SOAK_BALLOT, GATEWAY_ENV);
  const { databaseUrl, key } = cluster;
  const bases = cluster.gateways.map(({ base }) => base);
  const readers = new ReaderProcesses(readerProcesses, {
    streams,
    bases,
    choice: 'any',
    key,
    databaseUrl,
    cutMs,
  });
  try {
    await until('the first readers', async () => (await readers.countConnected()) > streams / 2, 60_000);
    const over = new AbortController();
    const memory = new MemoryWatch(cluster);
    const [kills] = await Promise.all([
      killAgainAndAgain(cluster, random.fork('kills'), options).finally(() => over.abort()),
      makeChanges(cluster, random.fork('changes'), options.rate, over.signal),
      memory.run(over.signal),
      reportProgress(readers, report, over.signal),
    ]);
    report('waiting for everything to arrive ...');
    const changes = await drain(cluster);
    const verdict = await readers.finish(changes, DRAIN_MS);
    return { ...verdict, changes, kills, memory: memory.summarize() };
  } finally {
    readers.stop();
    await cluster.stop();
  }
}

/** Kills one after the other until the time is over and each of them was killed once. */
async function killAgainAndAgain(
  cluster: Cluster,
  random: Random,
  { durationMs, killEveryMs, report }: SoakOptions,
): Promise<Record<Victim, number>> {
  const kills: Record<Victim, number> = { 'gateway 0': 0, 'gateway 1': 0, consumers: 0, broker: 0 };
  const deadline = performance.now() + durationMs;
  for (let turn = 0; performance.now() < deadline || turn < VICTIMS.length; turn += 1) {
    await sleep(killEveryMs * (0.5 + random.next()));
    const victim = VICTIMS[turn % VICTIMS.length] ?? 'broker';
    const awayMs = random.below(MAX_AWAY_MS);
    report(`kill -9 of ${victim}, away for ${awayMs} ms`);
    if (victim === 'broker') await cluster.killBroker(awayMs);
    else if (victim === 'consumers') await cluster.killConsumers(awayMs);
    else await cluster.killGateway(victim === 'gateway 0' ? 0 : 1, awayMs);
    kills[victim] += 1;
  }
  return kills;
}

async function reportProgress(
  readers: ReaderProcesses,
  report: (line: string) => void,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    await sleep(10_000, undefined, { signal: over }).catch(() => {});
    report(`${await readers.countConnected()} streams open`);
  }
}

/** Follows how much memory each life of each gateway takes. */
class MemoryWatch {
  readonly #cluster: Cluster;
  readonly #lives = new Map<number, { gateway: number; samples: { at: number; mb: number }[] }>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async run(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      for (const [gateway, { process }] of this.#cluster.gateways.entries()) {
        const mb = await readResidentMb(process.pid);
        if (mb === null) continue;
        const life = this.#lives.get(process.pid) ?? { gateway, samples: [] };
        life.samples.push({ at: performance.now(), mb });
        this.#lives.set(process.pid, life);
      }
      await sleep(SAMPLE_MS, undefined, { signal: over }).catch(() => {});
    }
  }

  /** Of every life that lasted well beyond its warming up. */
  summarize(): SoakReport['memory'] {
    return [...this.#lives.values()].flatMap(({ gateway, samples }) => {
      const start = (samples[0]?.at ?? 0) + WARM_UP_MS;
      const warm = samples.filter(({ at }) => at >= start);
      const [first, last] = [warm[0], warm.at(-1)];
      if (!first || !last || last.at - first.at < WARM_UP_MS) return [];
      const minutes = (last.at - first.at) / 60_000;
      return [{ gateway, minutes, firstMb: first.mb, lastMb: last.mb, mbPerMinute: slopeOf(warm) * 60_000 }];
    });
  }
}

/** Megabytes that a process has in memory; null where there is no such process, or the system does not say. */
async function readResidentMb(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** The slope of the straight line that fits best, in megabytes a millisecond. */
function slopeOf(samples: { at: number; mb: number }[]): number {
  const mean = (pick: (sample: (typeof samples)[number]) => number) =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const at = mean((sample) => sample.at);
  const mb = mean((sample) => sample.mb);
  return mean((s) => (s.at - at) * (s.mb - mb)) / mean((s) => (s.at - at) ** 2);
}
