import { z } from 'zod';
import type { ChangeBody } from '../../schemas/change.ts';
import { CHANGE_TYPES } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql, sqlText } from '../connection/read-pool.ts';
import { type SentChange, sentChange } from '../stream/sent-change.ts';
import { BYTES_BEFORE, MAX_BODY_BYTES } from '../stream/stored-body.ts';

const relayed = z.object({
  sequence: z.number(),
  occurredAt: z.number(),
  type: z.enum(CHANGE_TYPES),
  endorser: z.string(),
  packed: z.instanceof(Buffer).nullable(),
  body: z.custom<ChangeBody>((value) => typeof value === 'object').nullable(),
  epoch: z.number(),
  offsets: z.array(z.number()),
});

/** The present epoch's changes that the relay has begun to send, and the batch of each. */
const RELAYED = sql.fragment`
  FROM stream_head h, change_log c, LATERAL (
    SELECT offsets, last_sequence FROM relay_batches WHERE first_sequence <= c.sequence
    ORDER BY first_sequence DESC LIMIT 1) b
  WHERE c.sequence > h.epoch_after AND c.sequence <= b.last_sequence`;

/**
 * The changes with sequences `from` to `to`, both included, that the relay has begun to send, as it sent them
 * (INV-3). Ends before the first change that is no longer in the change log or belongs to an earlier epoch, and when
 * their bodies have more than `MAX_BODY_BYTES`.
 */
export async function loadRelayedChanges(
  pool: DatabasePool,
  from: number,
  to: number,
): Promise<SentChange[]> {
  const rows = await pool.any(sql.type(relayed)`
    SELECT sequence, (extract(epoch FROM occurred_at) * 1000)::bigint AS "occurredAt", type, endorser, packed,
      CASE WHEN packed IS NULL THEN body END AS body, epoch, offsets
    FROM (SELECT *, ${sqlText(BYTES_BEFORE)} FROM (
      SELECT c.*, h.epoch, b.offsets ${RELAYED} AND c.sequence BETWEEN ${from} AND ${to}) AS relayed) AS measured
    WHERE bytes_before < ${MAX_BODY_BYTES} ORDER BY sequence`);
  const gap = rows.findIndex(({ sequence }, index) => sequence !== from + index);
  return rows.slice(0, gap === -1 ? rows.length : gap).map(sentChange);
}

/** The sequence of the first change that `loadRelayedChanges` finds from `from` to `to`; null if it finds none. */
export async function findFirstRelayed(pool: DatabasePool, from: number, to: number): Promise<number | null> {
  const first = z.object({ sequence: z.number() });
  return pool.maybeOneFirst(sql.type(first)`
    SELECT c.sequence ${RELAYED} AND c.sequence BETWEEN ${from} AND ${to} ORDER BY c.sequence LIMIT 1`);
}

/**
 * The first and the last change that the changes topic must hold: acknowledged by Kafka, of the present epoch, and
 * still in the change log. Null if there are none.
 *
 * @param since the beginning of the window: the change log keeps changes for longer than Kafka does
 */
export async function loadRelayedRange(
  pool: DatabasePool,
  since: Date,
): Promise<{ epoch: number; from: number; to: number } | null> {
  const range = z.object({ epoch: z.number(), from: z.number(), to: z.number() });
  return pool.maybeOne(sql.type(range)`
    SELECT h.epoch, kept.first AS "from", relayed.last AS "to"
    FROM stream_head h,
      LATERAL (SELECT sequence AS first FROM change_log
        WHERE occurred_at >= ${since.toISOString()}::timestamptz AND sequence > h.epoch_after
        ORDER BY occurred_at, sequence LIMIT 1) kept,
      LATERAL (SELECT last_sequence AS last FROM relay_batches WHERE acknowledged_at IS NOT NULL
        ORDER BY first_sequence DESC LIMIT 1) relayed
    WHERE kept.first <= relayed.last`);
}
