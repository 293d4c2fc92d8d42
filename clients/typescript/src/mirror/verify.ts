import type { Calls } from '../calls.ts';
import { TimeoutError } from '../errors.ts';
import { readPolls } from '../events/read-polls.ts';
import { readExport } from '../exports/read-export.ts';
import type { Connection } from '../http/connection.ts';
import { sleep } from '../http/sleep.ts';
import type { ListedEndorsement, ServiceDigest } from '../types.ts';
import type { Copy } from './copy.ts';
import { differingBuckets, digestCopy } from './digest.ts';
import type { IdRange } from './storage.ts';

/** The result of comparing a copy with the service at a position in the stream, `cursor`. */
export type Comparison =
  | { ok: true; cursor: string; count: number }
  /** `buckets`: the differing parts, by the ids of endorsements. */
  | { ok: false; cursor: string; buckets: IdRange[] };

/** The parts of a mirror that a comparison uses. Nothing else may change the copy meanwhile. */
export interface Comparable {
  copy: Copy;
  connection: Connection;
  calls: Calls;
  signal: AbortSignal;
  /** The longest wait for a gateway to catch up with the changes in the digest, in milliseconds. */
  catchUpMs: number;
}

const MAX_EVENTS = 1000;
/** The longest wait for a gateway that is behind another one, in milliseconds. */
const CATCH_UP_MS = 200;
const MAX_LOOKS = 5;

/**
 * The longest life of a temporary difference, in milliseconds. Lists and digests show an edit of the catalogue a moment
 * before the events that announce it.
 */
const SECOND_LOOK_MS = 2000;

/**
 * Compares a copy with the service. It asks for the service's digest, brings the copy to the digest's position, and
 * compares both digests. If they differ, it looks again.
 */
export async function compareCopy(parts: Comparable): Promise<Comparison> {
  const found = await compareOnce(parts);
  if (found.ok) return found;
  await sleep(SECOND_LOOK_MS, parts.signal);
  return compareOnce(parts);
}

async function compareOnce(parts: Comparable): Promise<Comparison> {
  const { copy } = parts;
  const digest = await readDigest(parts);
  await readUpTo(digest.stream_cursor, parts);
  const own = await digestCopy(copy.read(), digest.bucket_size);
  const cursor = digest.stream_cursor;
  if (own.digest === digest.digest && own.count === digest.count)
    return { ok: true, cursor, count: own.count };
  return { ok: false, cursor, buckets: differingBuckets(digest.buckets, own.buckets) };
}

/**
 * Reads a digest that is not older than the copy. A gateway on a lagging replica catches up soon. After that, an
 * earlier position is another name of the same state, for which the digest was kept.
 */
async function readDigest({ copy, calls, signal }: Comparable): Promise<ServiceDigest> {
  for (let looks = 1; ; looks += 1) {
    const data = await calls.readRecord<ServiceDigest>('/v1/digest', copy.filter.values, { signal });
    if (data.stream_cursor >= copy.readAt || looks === MAX_LOOKS) return data;
    await sleep(CATCH_UP_MS, signal);
  }
}

/**
 * Applies the events up to a position in the stream, and none after it.
 *
 * @throws TimeoutError if the service has neither an event nor the position for `catchUpMs`
 */
async function readUpTo(target: string, { copy, connection, signal, catchUpMs }: Comparable): Promise<void> {
  const { maxRetries } = connection;
  const settings = { filter: copy.filter.values, signal, limit: MAX_EVENTS, follow: false, maxRetries };
  let waitsSince: number | null = null;
  while (copy.cursor !== null && copy.cursor < target) {
    for await (const steps of readPolls(connection, { cursor: copy.cursor }, settings)) {
      const beyond = steps.findIndex(({ event, cursor }) => event !== null && cursor > target);
      await copy.apply(beyond === -1 ? steps : steps.slice(0, beyond));
      if (beyond !== -1) return;
      // Cursors also move with time, so only an event proves that the gateway is catching up.
      if (steps.some(({ event }) => event !== null)) waitsSince = null;
    }
    if (copy.cursor >= target) return;
    // The gateway may lack changes that the digest contains.
    waitsSince ??= performance.now();
    if (performance.now() - waitsSince >= catchUpMs) throw new TimeoutError(describeWait(catchUpMs));
    await sleep(Math.min(CATCH_UP_MS, catchUpMs), signal);
  }
}

function describeWait(waitedMs: number): string {
  return (
    `The service has not sent the changes that its digest shows within ${waitedMs} ms: ` +
    'one of its gateways is behind. Verify again later, or give a longer catchUpMs.'
  );
}

/** Reads a part of a copy again. */
export async function readAgain(range: IdRange, { copy, connection, signal }: Comparable): Promise<void> {
  const records: ListedEndorsement[] = [];
  let readAt = '';
  const after = range.first_id > 0 ? range.first_id - 1 : undefined;
  const settings = { path: '/v1/endorsements', filter: copy.filter.values, signal, after };
  for await (const batch of readExport<ListedEndorsement>(connection, settings)) {
    readAt = batch.readAt;
    const within = batch.records.filter(({ id }) => id <= range.last_id);
    records.push(...within);
    if (within.length < batch.records.length) break;
  }
  await copy.replaceRange(range, records, readAt);
}
