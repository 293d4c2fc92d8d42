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
 * By partition: lower bounds of the present log's offsets after a sequence, as far as known: the offsets of
 * the batch or the rebuilt run that holds the next change, or else the last change before it. Qualify the
 * sequence's column with its table, because the tables here have similar columns.
 */
export function offsetsAfter(sequence: Sql): Sql {
  return sql.fragment`COALESCE((
    SELECT b.offsets FROM relay_batches b
    WHERE b.first_sequence <= ${sequence} + 1 AND b.first_sequence > (SELECT after_sequence FROM stream_generation)
    ORDER BY b.first_sequence DESC LIMIT 1), (
    SELECT r.offsets FROM rebuilt_runs r WHERE r.first_sequence <= ${sequence} + 1
    ORDER BY r.first_sequence DESC LIMIT 1), '{}')`;
}

/** The point after the newest committed change, relayed or not. */
export async function loadStreamHead(pool: DatabasePool): Promise<StreamPoint> {
  return pool.one(sql.type(pointRow)`
    SELECT s.epoch, s.last_sequence AS sequence, ${offsetsAfter(sql.fragment`s.last_sequence`)} AS offsets
    FROM stream_head s`);
}

/**
 * By partition: lower bounds of the offsets of the changes after a sequence. Null if the relay has not sent
 * the next change to the present log, sent it in an earlier epoch, or sent it so long ago that its batch was
 * dropped.
 */
export async function loadOffsetsOfNext(pool: DatabasePool, sequence: number): Promise<number[] | null> {
  const row = sql.type(pointRow.pick({ offsets: true }));
  const next = sql.fragment`${sequence}::bigint + 1`;
  return pool.maybeOneFirst(row`
    SELECT place.offsets
    FROM stream_head h, stream_generation g, LATERAL (
      (SELECT offsets, last_sequence FROM relay_batches
       WHERE first_sequence <= ${next} AND first_sequence > g.after_sequence
       ORDER BY first_sequence DESC LIMIT 1)
      UNION ALL
      (SELECT offsets, last_sequence FROM rebuilt_runs WHERE first_sequence <= ${next}
       ORDER BY first_sequence DESC LIMIT 1)) place
    WHERE ${next} > h.epoch_after AND ${next} <= place.last_sequence
    LIMIT 1`);
}

/**
 * Where a gateway continues in the present log after a change, and the newest known change of this log. Null
 * until the relay has written the log that far.
 */
export async function loadPlaceAfter(
  pool: DatabasePool,
  sequence: number,
): Promise<{ offsets: number[]; target: number } | null> {
  const row = pointRow.pick({ offsets: true }).extend({ target: z.number() });
  const next = sql.fragment`${sequence}::bigint + 1`;
  return pool.maybeOne(sql.type(row)`
    SELECT ${offsetsAfter(sql.fragment`${sequence}::bigint`)} AS offsets, COALESCE((
      SELECT last_sequence FROM relay_batches WHERE acknowledged_at IS NOT NULL
      ORDER BY first_sequence DESC LIMIT 1), 0) AS target
    FROM stream_generation g
    WHERE g.is_complete OR EXISTS (
      SELECT 1 FROM rebuilt_runs WHERE first_sequence <= ${next} AND last_sequence >= ${next})`);
}

/**
 * The point before the first change at or after a time, and that change's time, in milliseconds since 1970.
 * Null if there is no such change yet.
 */
export async function loadPointBefore(
  pool: DatabasePool,
  time: Date,
): Promise<(StreamPoint & { nextOccurredAt: number }) | null> {
  return pool.maybeOne(sql.type(pointRow.extend({ nextOccurredAt: z.number() }))`
    SELECT epoch, found.sequence, ${offsetsAfter(sql.fragment`found.sequence`)} AS offsets, "nextOccurredAt"
    FROM stream_head, (
      SELECT sequence - 1 AS sequence, (extract(epoch FROM occurred_at) * 1000)::bigint AS "nextOccurredAt"
      FROM change_log WHERE occurred_at >= ${time.toISOString()}::timestamptz
        AND sequence > (SELECT epoch_after FROM stream_head)
      ORDER BY occurred_at, sequence LIMIT 1) AS found`);
}

/** The point at which a gateway begins to follow the stream. */
export interface FeedStart {
  /** Far enough back to fill the gateway's memory, and recent enough that Kafka still has the changes. */
  start: StreamPoint;
  /** The newest sequence known to be in Kafka. A gateway that has read it has caught up. */
  target: number;
  generation: FeedGeneration;
}

const generationRow = z.object({
  generation: z.number(),
  topicId: z.string().nullable(),
  after: z.number(),
  isComplete: z.boolean(),
});

/** The Kafka log that gateways read, and the last sequence whose id has offsets of an earlier log. */
export type FeedGeneration = z.infer<typeof generationRow>;

const generationColumns = sql.fragment`
  g.generation, g.topic_id AS "topicId", g.after_sequence AS after, g.is_complete AS "isComplete"`;

/**
 * Finds where a gateway begins. The query searches batches by their first sequences, which rise together with
 * the last ones.
 *
 * @param since ignores batches created before this time.
 * @param preload begins about this many changes before the newest.
 */
export async function loadFeedStart(pool: DatabasePool, since: Date, preload: number): Promise<FeedStart> {
  const row = pointRow.extend({ target: z.number() }).extend(generationRow.shape);
  const { target, epoch, sequence, offsets, ...generation } = await pool.one(sql.type(row)`
    WITH relayed AS (
      SELECT epoch_after, greatest(epoch_after, (
        SELECT last_sequence FROM relay_batches WHERE acknowledged_at IS NOT NULL
        ORDER BY first_sequence DESC LIMIT 1)) AS target
      FROM stream_head
    ), wanted AS (
      SELECT first_sequence FROM relay_batches WHERE first_sequence <= (SELECT target FROM relayed) - ${preload}
      ORDER BY first_sequence DESC LIMIT 1
    ), first AS (
      SELECT first_sequence FROM relay_batches
      WHERE first_sequence >= COALESCE((SELECT first_sequence FROM wanted), 0)
        AND first_sequence > (SELECT epoch_after FROM relayed)
        AND last_sequence > (SELECT target FROM relayed) - ${preload}
        AND created_at >= ${since.toISOString()}::timestamptz
      ORDER BY first_sequence LIMIT 1
    ), start AS (
      SELECT target, COALESCE((SELECT first_sequence - 1 FROM first), target) AS sequence FROM relayed)
    SELECT epoch, target, start.sequence, ${offsetsAfter(sql.fragment`start.sequence`)} AS offsets, ${generationColumns}
    FROM stream_head, start, stream_generation g`);
  return { start: { epoch, sequence, offsets }, target: Math.max(target, sequence), generation };
}

/** The time on the database's clock, in milliseconds since 1970. */
export async function loadDatabaseTime(pool: DatabasePool): Promise<number> {
  const row = z.object({ time: z.number() });
  return pool.oneFirst(sql.type(row)`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time`);
}

/** The present history of the stream: its epoch, its newest sequence and its log. */
export async function loadStreamState(
  pool: DatabasePool,
): Promise<{ epoch: number; lastSequence: number; generation: FeedGeneration }> {
  const row = z.object({ epoch: z.number(), lastSequence: z.number() }).extend(generationRow.shape);
  const { epoch, lastSequence, ...generation } = await pool.one(sql.type(row)`
    SELECT epoch, last_sequence AS "lastSequence", ${generationColumns} FROM stream_head, stream_generation g`);
  return { epoch, lastSequence, generation };
}
