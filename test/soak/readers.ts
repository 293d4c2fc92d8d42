/**
 * A process with many readers of the stream, which `reader-process.ts` starts. They read with all kinds of filters from
 * either gateway, pause, and lose their connections. At the end they are compared with the change log.
 */
import { setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createRandom } from '../../ops/demo/random.ts';
import { loadChangeLog } from '../helpers/stream/change-log.ts';
import { type Ask, Copy, digestOf, queryOf, readDigest, readEndorsements } from '../helpers/stream/copies.ts';
import { StreamChecker } from '../helpers/stream/stream-checker.ts';
import { FrameStore, StreamReader } from '../helpers/stream/stream-reader.ts';
import { chooseFilter } from './ballot.ts';
import { SoakMirrors } from './mirrors.ts';

export interface ReadersPlan {
  /** It distinguishes these readers from those of other processes. */
  seed: string;
  streams: number;
  /** The number of the TypeScript client's mirrors in each process; by default none. */
  mirrors?: number;
  /** Addresses of the gateways. */
  bases: string[];
  /** The gateway of a reader: any, or the first and then the next, as behind a proxy with failover. */
  choice: 'any' | 'next';
  key: string;
  databaseUrl: string;
  /** The average time before a connection is lost, in milliseconds; 0 for no cuts and pauses. */
  cutMs: number;
}

/** The parent's orders. */
export type Order = { count: true } | { finish: { upTo: number; timeoutMs: number } };

export interface ReadersCount {
  /** The number of open streams. */
  connected: number;
}

export interface ReadersVerdict {
  faults: string[];
  events: number;
  repeats: number;
  /** The copies of endorsements that were compared with the reads. */
  copies: number;
  /** The mirrors of the TypeScript client whose copies were compared with the service's digest and list. */
  mirrors: number;
  connections: number;
  /** The number of answers other than a stream, by `status code`. */
  refusals: Record<string, number>;
}

const TICK_MS = 100;
const MAX_PAUSE_MS = 3000;
/** The starts of these readers: most begin with new changes. */
const STARTS = ['latest', 'latest', 'latest', 'earliest'];
/** The permitted answers of a gateway while it, or a server that it needs, is down. */
const PASSING = ['503 warming_up', '503 server_busy'];
const MAX_FAULTS = 50;

const plan: ReadersPlan = JSON.parse(process.argv[2] ?? '');
const random = createRandom(plan.seed);
const frames = new FrameStore();

/** Chooses the address for each connection of a reader. */
function createChoice(): () => string {
  if (plan.choice === 'any') return () => random.pick(plan.bases);
  let attempt = 0;
  return () => plan.bases[attempt++ % plan.bases.length] ?? '';
}

/** The readers that begin with the first change: they can keep a whole copy. */
const copiers = new Set<StreamReader>();

const readers = Array.from({ length: plan.streams }, (_, index) => {
  const from = random.pick(STARTS);
  const reader = new StreamReader({
    name: `reader ${plan.seed}/${index}`,
    address: createChoice(),
    key: plan.key,
    filter: chooseFilter(random),
    from,
    frames,
  });
  if (from === 'earliest') copiers.add(reader);
  return reader;
});

const { mirrors: mirrorCount = 0, bases, key } = plan;
const mirrorRandom = random.fork('mirrors');
const mirrors = new SoakMirrors({ name: plan.seed, count: mirrorCount, bases, key, random: mirrorRandom });
const startingMirrors = mirrors.start();

/** Cuts some connections, and pauses others for a while. */
function disturb(): void {
  if (mirrorRandom.chance(TICK_MS / plan.cutMs)) mirrors.cut();
  for (const reader of readers) {
    if (!random.chance(TICK_MS / plan.cutMs)) continue;
    if (random.chance(0.5)) reader.cut();
    else {
      reader.pause();
      setTimeout(() => reader.resume(), random.below(MAX_PAUSE_MS));
    }
  }
}

/** Asks the last gateway, which is up at the end of every run. */
const ask: Ask = async (path) => {
  const response = await fetch(`${plan.bases.at(-1)}${path}`, {
    headers: { Authorization: `Bearer ${plan.key}` },
  });
  return { status: response.status, body: await response.json() };
};

/**
 * Compares the readers' copies, which come only from their streams, with the reads (INV-13) and with the store's
 * digest. Filters by type make no copy. Readers with equal filters must equal the same read, so each filter is read
 * once.
 */
async function judgeCopies(): Promise<{ faults: string[]; copies: number }> {
  const faults: string[] = [];
  const expected = new Map<string, string>();
  const digests = new Map<string, string>();
  let copies = 0;
  for (const { record } of copiers) {
    if (record.filter.types) continue;
    const query = queryOf(record.filter);
    const copy = new Copy();
    for (const { event, data } of record.connections.flatMap(({ frames: received }) => received)) {
      if (event === 'endorsement') copy.apply(JSON.parse(data));
    }
    const wanted = expected.get(query) ?? JSON.stringify(await readEndorsements(ask, query));
    expected.set(query, wanted);
    const digest = digests.get(query) ?? JSON.stringify(await readDigest(ask, query));
    digests.set(query, digest);
    copies += 1;
    if (JSON.stringify(digestOf(Object.values(copy.contents))) !== digest) {
      faults.push(`${record.name}: its copy of ${query} has another digest than ${digest}.`);
    }
    if (!isDeepStrictEqual(copy.contents, JSON.parse(wanted))) {
      faults.push(`${record.name}: its copy of ${query} differs from the reads.`);
    }
  }
  return { faults, copies };
}

async function judge(upTo: number, timeoutMs: number): Promise<ReadersVerdict> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline && readers.some((reader) => reader.position < upTo)) await sleep(TICK_MS);
  await Promise.all(readers.map((reader) => reader.stop()));
  const checker = new StreamChecker(await loadChangeLog(plan.databaseUrl));
  const verdict: ReadersVerdict = {
    faults: [],
    events: 0,
    repeats: 0,
    copies: 0,
    mirrors: 0,
    connections: 0,
    refusals: {},
  };
  for (const { record, refusals } of readers) {
    const { faults, events, repeats } = checker.judge({ ...record, upTo });
    verdict.faults.push(...faults);
    verdict.events += events;
    verdict.repeats += repeats;
    verdict.connections += record.connections.length;
    for (const [name, count] of refusals) {
      verdict.refusals[name] = (verdict.refusals[name] ?? 0) + count;
      if (!PASSING.includes(name)) verdict.faults.push(`${record.name}: it was refused with ${name}.`);
    }
  }
  const { faults, copies } = await judgeCopies();
  await startingMirrors;
  const mirrored = await mirrors.judge();
  const all = [...mirrored.faults, ...faults, ...verdict.faults].slice(0, MAX_FAULTS);
  return { ...verdict, copies, mirrors: mirrored.mirrors, faults: all };
}

// Spread over a second, so that the streams do not all connect at the same moment.
for (const reader of readers) setTimeout(() => reader.start(), random.below(1000));
const disturbing = plan.cutMs > 0 ? setInterval(disturb, TICK_MS) : undefined;

process.on('message', async (order: Order) => {
  if ('count' in order) {
    process.send?.({ connected: readers.filter(({ connected }) => connected).length } satisfies ReadersCount);
    return;
  }
  clearInterval(disturbing);
  const verdict = await judge(order.finish.upTo, order.finish.timeoutMs);
  process.send?.(verdict, () => process.exit(0));
});
process.on('disconnect', () => process.exit(1));
