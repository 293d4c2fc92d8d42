import { z } from 'zod';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import type { Sql } from './json.ts';

export const pointRow = z.object({
  epoch: z.number(),
  sequence: z.number(),
  /** By partition: lower bounds of the offsets of the changes after `sequence`. */
  offsets: z.array(z.number()),
});

/** A point of the stream, after the change `sequence`. */
export type StreamPoint = z.infer<typeof pointRow>;

/**
 * The offsets of the batch that holds the change after a sequence, or of the last batch before it. Qualify the column of
 * the sequence with its table, because `relay_batches` has columns of its own.
 */
export function offsetsAfter(sequence: Sql): Sql {
  return sql.fragment`COALESCE((
    SELECT b.offsets FROM relay_batches b WHERE b.first_sequence <= ${sequence} + 1
    ORDER BY b.first_sequence DESC LIMIT 1), '{}')`;
}

/** The point after the newest committed change, relayed or not. */
export async function loadStreamHead(pool: DatabasePool): Promise<StreamPoint> {
  return pool.one(sql.type(pointRow)`
    SELECT s.epoch, s.last_sequence AS sequence, ${offsetsAfter(sql.fragment`s.last_sequence`)} AS offsets
    FROM stream_head s`);
}

/**
 * By partition: lower bounds of the offsets of the changes after a sequence. Null if the relay did not send the next
 * one, sent it in an earlier epoch, or sent it so long ago that its batch is dropped.
 */
export async function loadOffsetsOfNext(pool: DatabasePool, sequence: number): Promise<number[] | null> {
  const row = sql.type(pointRow.pick({ offsets: true }));
  return pool.maybeOneFirst(row`
    SELECT b.offsets
    FROM stream_head h, LATERAL (
      SELECT offsets, last_sequence FROM relay_batches WHERE first_sequence <= ${sequence}::bigint + 1
      ORDER BY first_sequence DESC LIMIT 1) b
    WHERE ${sequence}::bigint >= h.epoch_after AND ${sequence}::bigint < b.last_sequence`);
}

/**
 * The point before the first change that occurred at or after a time, and when that change occurred, in milliseconds
 * since 1970. Null if there is no such change yet.
 */
export async function loadPointBefore(
  pool: DatabasePool,
  time: Date,
): Promise<(StreamPoint & { nextOccurredAt: number }) | null> {
  return pool.maybeOne(sql.type(pointRow.extend({ nextOccurredAt: z.number() }))`
    SELECT epoch, found.sequence, ${offsetsAfter(sql.fragment`found.sequence`)} AS offsets, "nextOccurredAt"
    FROM stream_head, (
      SELECT sequence - 1 AS sequence, (extract(epoch FROM occurred_at) * 1000)::float8 AS "nextOccurredAt"
      FROM change_log WHERE occurred_at >= ${time.toISOString()}::timestamptz
        AND sequence > (SELECT epoch_after FROM stream_head)
      ORDER BY occurred_at, sequence LIMIT 1) AS found`);
}

/** Where a gateway begins to follow the stream. */
export interface FeedStart {
  /** Far enough back to fill the gateway's memory, but not so far that Kafka may have dropped the changes. */
  start: StreamPoint;
  /** The newest sequence that Kafka is known to have. A gateway that has read it has caught up. */
  target: number;
}

/**
 * Finds where a gateway begins. The query looks batches up by their first sequences, with which their last ones rise.
 *
 * @param since ignores batches that were created before this time.
 * @param preload about how many changes before the newest to begin.
 */
export async function loadFeedStart(pool: DatabasePool, since: Date, preload: number): Promise<FeedStart> {
  const { target, ...start } = await pool.one(sql.type(pointRow.extend({ target: z.number() }))`
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

/** The time on the database's clock, in milliseconds since 1970. */
export async function loadDatabaseTime(pool: DatabasePool): Promise<number> {
  const row = z.object({ time: z.number() });
  return pool.oneFirst(sql.type(row)`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time`);
}

/** The present epoch of the stream, and the sequence of its newest change. */
export async function loadStreamState(pool: DatabasePool): Promise<{ epoch: number; lastSequence: number }> {
  const row = z.object({ epoch: z.number(), lastSequence: z.number() });
  return pool.one(sql.type(row)`SELECT epoch, last_sequence AS "lastSequence" FROM stream_head`);
}
