import { z } from 'zod';
import { type DatabasePool, sql } from '../connection/read-pool.ts';

/** Where the stream stands in the store. */
export interface StoredStreamPosition {
  epoch: number;
  sequence: number;
  /** By partition: lower bounds of where the changes after `sequence` are. */
  offsets: number[];
}

const position = z.object({ epoch: z.number(), sequence: z.number(), offsets: z.array(z.number()) });

/**
 * The offsets of the batch that holds the change after a sequence, or of the last batch before it. The sequence must be named
 * with its table: `relay_batches` has columns of its own.
 */
export function offsetsAfter(sequence: ReturnType<typeof sql.fragment>) {
  return sql.fragment`COALESCE((
    SELECT b.offsets FROM relay_batches b WHERE b.first_sequence <= ${sequence} + 1
    ORDER BY b.first_sequence DESC LIMIT 1), '{}')`;
}

/** The position after the newest committed change, whether it is relayed already or not. */
export async function loadStreamHead(pool: DatabasePool): Promise<StoredStreamPosition> {
  return pool.one(sql.type(position)`
    SELECT s.epoch, s.last_sequence AS sequence, ${offsetsAfter(sql.fragment`s.last_sequence`)} AS offsets
    FROM stream_head s`);
}

/**
 * By partition: lower bounds of where the changes after a sequence are. Null where the relay did not send the next one,
 * or sent it in an earlier epoch, or so long ago that the batch is forgotten.
 */
export async function loadOffsetsOfNext(pool: DatabasePool, sequence: number): Promise<number[] | null> {
  const row = sql.type(position.pick({ offsets: true }));
  return pool.maybeOneFirst(row`
    SELECT b.offsets
    FROM stream_head h, LATERAL (
      SELECT offsets, last_sequence FROM relay_batches WHERE first_sequence <= ${sequence}::bigint + 1
      ORDER BY first_sequence DESC LIMIT 1) b
    WHERE ${sequence}::bigint >= h.epoch_after AND ${sequence}::bigint < b.last_sequence`);
}

/**
 * The position before the first change that occurred at or after a time, and when that one occurred, in milliseconds
 * since 1970; null where there is none yet.
 */
export async function loadPositionBefore(
  pool: DatabasePool,
  time: Date,
): Promise<(StoredStreamPosition & { nextOccurredAt: number }) | null> {
  return pool.maybeOne(sql.type(position.extend({ nextOccurredAt: z.number() }))`
    SELECT epoch, found.sequence, ${offsetsAfter(sql.fragment`found.sequence`)} AS offsets, "nextOccurredAt"
    FROM stream_head, (
      SELECT sequence - 1 AS sequence, (extract(epoch FROM occurred_at) * 1000)::float8 AS "nextOccurredAt"
      FROM change_log WHERE occurred_at >= ${time.toISOString()}::timestamptz
        AND sequence > (SELECT epoch_after FROM stream_head)
      ORDER BY occurred_at, sequence LIMIT 1) AS found`);
}

/** What a gateway needs to begin following the stream. */
export interface FeedStart {
  /** Where to begin reading: far enough back to fill memory, not so far that Kafka may have dropped it. */
  start: StoredStreamPosition;
  /** The newest sequence that Kafka is known to have; a gateway that has it has caught up. */
  target: number;
}

/**
 * Batches are found by their keys: their last sequences rise with the first.
 *
 * @param since batches from before this time are not asked for.
 * @param preload about how many changes to begin before the newest.
 */
export async function loadFeedStart(pool: DatabasePool, since: Date, preload: number): Promise<FeedStart> {
  const { target, ...start } = await pool.one(sql.type(position.extend({ target: z.number() }))`
    WITH relayed AS (
      SELECT epoch_after, greatest(epoch_after, (
        SELECT last_sequence FROM relay_batches WHERE acknowledged_at IS NOT NULL
        ORDER BY first_sequence DESC LIMIT 1)) AS target
      FROM stream_head
    ), wanted AS (
      SELECT first_sequence FROM relay_batches WHERE first_sequence <= (SELECT target FROM relayed) - ${preload}
      ORDER BY first_sequence DESC LIMIT 1
    ), first AS (
      SELECT first_sequence, offsets FROM relay_batches
      WHERE first_sequence >= COALESCE((SELECT first_sequence FROM wanted), 0)
        AND first_sequence > (SELECT epoch_after FROM relayed)
        AND last_sequence > (SELECT target FROM relayed) - ${preload}
        AND created_at >= ${since.toISOString()}::timestamptz
      ORDER BY first_sequence LIMIT 1)
    SELECT epoch, target, COALESCE((SELECT first_sequence - 1 FROM first), target) AS sequence,
      COALESCE((SELECT offsets FROM first), ${offsetsAfter(sql.fragment`relayed.target`)}) AS offsets
    FROM stream_head, relayed`);
  return { start, target: Math.max(target, start.sequence) };
}

/** Which history of the stream this is. */
export async function loadStreamEpoch(pool: DatabasePool): Promise<number> {
  return pool.oneFirst(sql.type(z.object({ epoch: z.number() }))`SELECT epoch FROM stream_head`);
}
