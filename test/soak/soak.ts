import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { createRandom, type Random } from '../../ops/demo/random.ts';
import { clockOff } from '../helpers/faults/faketime.ts';
import { until } from '../helpers/until.ts';
import { BadClients, type BadClientsVerdict } from './bad-clients.ts';
import { SOAK_BALLOT } from './ballot.ts';
import { drain, makeChanges } from './changes.ts';
import { Cluster } from './cluster.ts';
import { editAgainAndAgain } from './edits.ts';
import { Hostility } from './hostility.ts';
import { ReaderProcesses } from './reader-process.ts';
import type { ReadersVerdict } from './readers.ts';
import { SoakWebhooks, type WebhooksVerdict } from './webhooks.ts';

export interface SoakOptions {
  /** The duration of changes, in milliseconds; it is extended until every process was killed once. */
  durationMs: number;
  streams: number;
  /** Changes a second. */
  rate: number;
  /** The average time between kills, in milliseconds. */
  killEveryMs: number;
  /** The average time before a reader loses its connection or pauses, in milliseconds. */
  cutMs: number;
  readerProcesses: number;
  seed: number;
  /** The time between rotations of all certificates, in milliseconds; without it, the broker has none. */
  rotateEveryMs?: number;
  /** Whether clients vanish, read slowly and flood. */
  hasBadClients?: boolean;
  /** Called with a line about each step. */
  report: (line: string) => void;
}

export interface SoakReport extends ReadersVerdict {
  /** The number of changes in the log at the end. */
  changes: number;
  /** The number of edits of the catalogue. */
  edits: number;
  kills: Record<Victim, number>;
  /** The number of rotations of all certificates. */
  rotations: number;
  /** The final number of partitions of the changes topic. */
  partitions: number;
  /** The certain acts of hostile producers. */
  hostile: Hostility['counts'];
  webhooks: WebhooksVerdict;
  /** Null without bad clients. */
  badClients: BadClientsVerdict | null;
  /** The highest resident memory of a gateway, in megabytes. */
  peakMb: number;
  /** The growth of memory after the warm-up, of each gateway that lived long enough. */
  memory: { gateway: number; minutes: number; firstMb: number; lastMb: number; mbPerMinute: number }[];
}

type Victim = 'gateway 0' | 'gateway 1' | 'consumers' | 'broker';

/** The changes topic begins with fewer. */
const MORE_PARTITIONS = 17;
/** The number of the TypeScript client's mirrors in each process of readers. */
const MIRRORS = 3;
const SAMPLE_MS = 2000;
const WARM_UP_MS = 60_000;
const MAX_AWAY_MS = 2000;
const MAX_GATEWAY_MB = 700;
const DRAIN_MS = 120_000;
/** Killed in this order, repeatedly. */
const VICTIMS: Victim[] = ['gateway 0', 'consumers', 'broker', 'gateway 1'];
/** The clock errors of new processes. */
const CLOCKS = ['+0', '+10m', '-10m'];
/** Short, so that readers without matches soon learn the end. */
const GATEWAY_ENV = { STREAM_HEARTBEAT_MS: '1000' };

/**
 * Runs a whole service under load, and repeatedly kills its processes and its readers' connections. It compares the
 * received frames of every reader with the change log.
 */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { streams, cutMs, readerProcesses, seed, report } = options;
  const random = createRandom(seed);
  const clocks = random.fork('clocks');
  const secured = options.rotateEveryMs !== undefined;
  // A new certificate is not valid yet for a process whose clock is behind.
  const chooseClock = () => (secured ? {} : clockOff(clocks.pick(CLOCKS)));
  const cluster = await Cluster.start(SOAK_BALLOT, GATEWAY_ENV, chooseClock, { secured });
  const hostility = new Hostility(cluster, random.fork('hostility'));
  const { databaseUrl, key } = cluster;
  const bases = cluster.gateways.map(({ base }) => base);
  const readers = new ReaderProcesses(readerProcesses, {
    streams,
    mirrors: MIRRORS,
    bases,
    choice: 'any',
    key,
    databaseUrl,
    cutMs,
  });
  let badClients: BadClients | null = null;
  let webhooks: SoakWebhooks | null = null;
  try {
    webhooks = await SoakWebhooks.create(cluster, random.fork('webhooks'));
    if (options.hasBadClients) {
      badClients = await BadClients.create({ cluster, random: random.fork('bad clients'), report });
    }
    await until('the first readers', async () => (await readers.countConnected()) > streams / 2, 60_000);
    const over = new AbortController();
    const memory = new MemoryWatch(cluster);
    const [kills, edits, rotations, partitions] = await Promise.all([
      killAgainAndAgain(cluster, random.fork('kills'), options).finally(() => over.abort()),
      editAgainAndAgain(cluster, random.fork('edits'), over.signal),
      rotateAgainAndAgain(cluster, options, over.signal),
      addPartitions(cluster, options),
      makeChanges(cluster, random.fork('changes'), options.rate, over.signal),
      hostility.run(over.signal),
      memory.run(over.signal),
      badClients?.run(over.signal),
      reportProgress(readers, report, over.signal),
    ]);
    report('waiting for everything to arrive ...');
    const changes = await drain(cluster);
    const verdict = await readers.finish(changes, DRAIN_MS);
    const bad = (await badClients?.finish(changes, DRAIN_MS)) ?? null;
    const delivered = await webhooks.judge(changes, DRAIN_MS);
    const { peakMb } = memory;
    verdict.faults.push(
      ...(await hostility.findFaults()),
      ...(await cluster.findRotationFaults()),
      ...(bad?.faults ?? []),
      ...delivered.faults,
      ...(peakMb > MAX_GATEWAY_MB ? [`A gateway used ${peakMb.toFixed(0)} MB.`] : []),
    );
    return {
      ...verdict,
      changes,
      edits,
      kills,
      rotations,
      partitions,
      hostile: hostility.counts,
      webhooks: delivered,
      badClients: bad,
      peakMb,
      memory: memory.summarize(),
    };
  } finally {
    readers.stop();
    badClients?.stop();
    await cluster.stop();
    await webhooks?.stop();
  }
}

/** Kills one process after another until the time is over and each was killed once. */
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

/** Replaces all certificates repeatedly. @returns the number of rotations */
async function rotateAgainAndAgain(
  cluster: Cluster,
  { rotateEveryMs, report }: SoakOptions,
  over: AbortSignal,
): Promise<number> {
  let rotations = 0;
  while (rotateEveryMs !== undefined) {
    await sleep(rotateEveryMs, undefined, { signal: over }).catch(() => {});
    if (over.aborted) break;
    const startedAt = performance.now();
    await cluster.rotateCertificates();
    rotations += 1;
    report(`all certificates replaced, in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }
  return rotations;
}

/** Adds partitions to the changes topic after half of the time. @returns their new number */
async function addPartitions(
  { brokers }: Cluster,
  { durationMs, report }: Pick<SoakOptions, 'durationMs' | 'report'>,
): Promise<number> {
  await sleep(durationMs / 2);
  const topic = topicNames().changes;
  const grow = () =>
    withAdmin(brokers, async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      if (topics[0]?.partitions.length === MORE_PARTITIONS) return true;
      await admin.createPartitions({ topicPartitions: [{ topic, count: MORE_PARTITIONS }] });
      return false;
    });
  // The broker may be down at the moment.
  await until('the topic of changes has more partitions', () => grow().catch(() => false));
  report(`the topic of changes has ${MORE_PARTITIONS} partitions now`);
  return MORE_PARTITIONS;
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

/** Tracks the memory of each life of each gateway. */
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

  /** The highest memory of all gateways. */
  get peakMb(): number {
    return Math.max(0, ...[...this.#lives.values()].flatMap(({ samples }) => samples.map(({ mb }) => mb)));
  }

  /** The growth in every life that lasted well beyond its warm-up. */
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

/** The resident megabytes of a process; null without the process or the system's support. */
async function readResidentMb(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** The slope of the best-fitting straight line, in megabytes a millisecond. */
function slopeOf(samples: { at: number; mb: number }[]): number {
  const mean = (pick: (sample: (typeof samples)[number]) => number) =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const at = mean((sample) => sample.at);
  const mb = mean((sample) => sample.mb);
  return mean((s) => (s.at - at) * (s.mb - mb)) / mean((s) => (s.at - at) ** 2);
}
