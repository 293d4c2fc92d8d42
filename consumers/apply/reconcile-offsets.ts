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

/** The parts of a reader that tell append times. */
type LogReader = Pick<TopicReader, 'offsetAt' | 'fetchFromLeader'>;

interface ReconcileOptions {
  /** The leader's connection. */
  client: ClientBase;
  reader: LogReader & Pick<TopicReader, 'identify' | 'bounds'>;
  group: Pick<GroupOffsets, 'load'>;
  topic: string;
  log: Logger;
}

/** The submissions topic, and its resume offsets. */
export interface ReconciledOffsets extends TopicIdentity {
  /** By partition: the offset to read from. */
  offsets: number[];
}

/**
 * Decides the resume offset of each partition:
 *
 * - If the topic is unchanged, the stored offset. If submissions before the log's beginning expired
 *   unapplied, they are lost.
 * - If the topic was made anew, its beginning, because none of its records were applied.
 * - If the topic is in another cluster, the group's offsets, because a mirror translates them.
 * - If the topic was rolled back to an older log, the first submission newer than all applied ones.
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
      : // In the same cluster, the group's offsets would be the previous topic's.
        findPlacesAnew(bounds, before.clusterId === identity.clusterId ? new Map() : await group.load());
  for (const [partition, offset] of offsets.entries()) {
    await resetConsumerOffset(client, topic, partition, offset);
  }
  await client.query('COMMIT');
  if (before !== null) {
    const message =
      "the submissions topic was replaced; reading from its beginning or from the mirror's offsets";
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
      const message = 'the submissions topic was rolled back to an older log; continuing with newer records';
      log.error({ topic, partition, offset: known.offset, end, from: truncatedAt }, message);
    } else if (known.offset > 0 && known.offset < start) {
      const message = 'submissions expired before they were applied';
      log.error({ topic, partition, offset: known.offset, start }, message);
    }
  }
  return offsets;
}

/**
 * Resume offset if the topic was rolled back to an older log, also if that has new records since. The log
 * then ends before the stored offset, or the record before this offset is newer than all applied ones.
 *
 * @returns null if the topic was not rolled back
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
  // An earlier version may have applied records with times of producers' clocks.
  if (end >= offset && !((await findTime(reader, partition, offset - 1)) > (appendedAt ?? 0))) return null;
  // Without a time, nothing shows which records are new. Reapply everything rather than skip.
  return appendedAt === null ? 0 : from;
}

/** The append time of the record at an offset, in milliseconds since 1970; NaN without a record. */
async function findTime(reader: LogReader, partition: number, offset: number): Promise<number> {
  const limits = { maxWaitMs: 0, partitionMaxBytes: 64 * 1024 };
  const read = await reader.fetchFromLeader(partition, offset, limits);
  return read?.records.find((record) => record.offset === offset)?.timestamp ?? Number.NaN;
}

/**
 * Whether one of these partitions was rolled back behind its applied offset, as happens when a broker returns with an
 * older log. Call it before reading from another broker, or again after a failure.
 */
export async function wasTruncated(
  client: ClientBase | Pool,
  reader: LogReader & Pick<TopicReader, 'bounds'>,
  topic: string,
  partitions: readonly number[],
): Promise<boolean> {
  const stored = await loadStoredOffsets(client, topic);
  const bounds = await reader.bounds(partitions);
  for (const partition of partitions) {
    const known = stored.get(partition);
    const { end } = bounds[partition] ?? { end: 0 };
    if (known && (await findTruncated(reader, partition, known, end)) !== null) return true;
  }
  return false;
}
