import type { ClientBase, Pool } from 'pg';
import type { GroupOffsets } from '../../kafka/reading/group-offsets.ts';
import type { PartitionBounds, TopicIdentity } from '../../kafka/reading/topic-lookup.ts';
import type { TopicReader } from '../../kafka/reading/topic-reader.ts';
import type { Logger } from '../../service/log.ts';
import {
  loadStoredOffsets,
  reconcileTopic,
  resetConsumerOffset,
  type StoredOffset,
} from '../../store/stream/consumer-offsets.ts';

/** Answers when records were appended. */
type LogReader = Pick<TopicReader, 'offsetAt' | 'fetchFromLeader'>;

interface ReconcileOptions {
  /** The leader's connection. */
  client: ClientBase;
  reader: LogReader & Pick<TopicReader, 'identify' | 'bounds'>;
  group: Pick<GroupOffsets, 'load'>;
  topic: string;
  log: Logger;
}

/** Where the submissions topic is read. */
export interface ReconciledOffsets extends TopicIdentity {
  /** By partition: the offset to read from. */
  offsets: number[];
}

/**
 * Decides where to read on: where the store is, if this is the topic that it knows. A topic that was made anew is read
 * from its beginning, since nothing in it has been applied. In another cluster it may be a mirror, which translates the
 * offsets of the group, and it is read from those. Where a broker has come back with an older log, a partition is read
 * from the first submission that is newer than all that were applied. Submissions that expired before they were applied
 * are lost, which nobody can undo.
 */
export async function reconcileOffsets(options: ReconcileOptions): Promise<ReconciledOffsets> {
  const { client, reader, group, topic, log } = options;
  const identity = await reader.identify();
  const bounds = await reader.bounds();
  await client.query('BEGIN');
  const before = await reconcileTopic(client, topic, identity);
  const offsets =
    before === null
      ? await findPlaces(options, bounds)
      : // In the same cluster, offsets of the group would be those of the topic before.
        findPlacesAnew(bounds, before.clusterId === identity.clusterId ? new Map() : await group.load());
  for (const [partition, offset] of offsets.entries()) {
    await resetConsumerOffset(client, topic, partition, offset);
  }
  await client.query('COMMIT');
  if (before !== null) {
    const message =
      'the submissions topic is another one; reading it from its beginning, or as its mirror says';
    log.error({ topic, ...identity, offsets }, message);
  }
  return { ...identity, offsets };
}

function findPlacesAnew(
  bounds: readonly PartitionBounds[],
  translated: ReadonlyMap<number, number>,
): number[] {
  return bounds.map(({ start, end }, partition) => {
    const offset = translated.get(partition) ?? 0;
    return offset < start || offset > end ? start : offset;
  });
}

async function findPlaces(
  { client, reader, topic, log }: ReconcileOptions,
  bounds: readonly PartitionBounds[],
): Promise<number[]> {
  const stored = await loadStoredOffsets(client, topic);
  const offsets: number[] = [];
  for (const [partition, { start, end }] of bounds.entries()) {
    const known = stored.get(partition) ?? { offset: 0, appendedAt: null };
    const truncatedAt = await findTruncated(reader, partition, known, end);
    offsets.push(Math.max(start, truncatedAt ?? known.offset));
    if (truncatedAt !== null) {
      const message = 'the broker came back with an older log of submissions; reading on with what is newer';
      log.error({ topic, partition, offset: known.offset, end, from: truncatedAt }, message);
    } else if (known.offset > 0 && known.offset < start) {
      const message = 'submissions expired before they were applied';
      log.error({ topic, partition, offset: known.offset, start }, message);
    }
  }
  return offsets;
}

/**
 * Where to go on in a log that is older than what was applied, or was and has new records since. Then it ends before the
 * position, or the record before the position is newer than all that were applied.
 *
 * @returns the offset; null if the log is not older
 */
async function findTruncated(
  reader: LogReader,
  partition: number,
  { offset, appendedAt }: StoredOffset,
  end: number,
): Promise<number | null> {
  const newer = appendedAt === null ? null : await reader.offsetAt(partition, appendedAt + 1);
  const from = newer ?? end;
  if (from >= offset) return null;
  // Producers' clocks may have stamped earlier records that an earlier version applied.
  if (end >= offset && !((await findTime(reader, partition, offset - 1)) > (appendedAt ?? 0))) return null;
  // Without a time, nothing tells what is new: rather again than not at all.
  return appendedAt === null ? 0 : from;
}

/** When the record at an offset was appended, in milliseconds since 1970; NaN if there is none. */
async function findTime(reader: LogReader, partition: number, offset: number): Promise<number> {
  const limits = { maxWaitMs: 0, partitionMaxBytes: 64 * 1024 };
  const read = await reader.fetchFromLeader(partition, offset, limits);
  return read?.records.find((record) => record.offset === offset)?.timestamp ?? Number.NaN;
}

/**
 * Whether some partition has become older than what was applied of it, as happens when a broker comes back with an older
 * log. To be asked when reading works again after a failure.
 */
export async function wasTruncated(
  pool: Pool,
  reader: LogReader & Pick<TopicReader, 'bounds'>,
  topic: string,
): Promise<boolean> {
  const stored = await loadStoredOffsets(pool, topic);
  for (const [partition, { end }] of (await reader.bounds()).entries()) {
    const known = stored.get(partition);
    if (known && (await findTruncated(reader, partition, known, end)) !== null) return true;
  }
  return false;
}
