import type { ClientBase, Pool } from 'pg';
import { isStorable } from './changed-since.ts';

/** A rejected submission. */
export interface RejectedSubmission {
  /** The endorser's slug. */
  endorser: string;
  /** The contest's key. */
  contest: string;
  /** Its place in the topic of submissions. */
  partition: number;
  offset: number;
  /** The time of the rejection, in milliseconds since 1970. */
  rejectedAt: number;
}

/**
 * The indexes of the rejected submissions after which a submission has changed the endorser's position in the
 * contest. Within a batch, offsets tell which submission came first, because times do not. A change a minute
 * later belongs to another batch. If a change left no endorsement, only the change log knows it, for as long
 * as it keeps it.
 */
export async function findMendedSince(
  client: ClientBase | Pool,
  rejected: RejectedSubmission[],
): Promise<Set<number>> {
  const asked = rejected.map((one, index) => ({ ...one, index })).filter(isStorable);
  const { rows } = await client.query<{ index: number }>(
    `WITH asked AS (
       SELECT index, at, since_partition, since_offset, e.id AS endorser_id, e.slug, c.id AS contest_id
       FROM unnest($1::int[], $2::text[], $3::text[], $4::timestamptz[], $5::int[], $6::bigint[])
         AS rejected (index, endorser, contest, at, since_partition, since_offset)
       JOIN endorsers e ON e.slug = rejected.endorser
       JOIN contests c ON c.key = rejected.contest)
     SELECT index FROM asked JOIN endorsements n USING (endorser_id, contest_id) WHERE n.updated_at > at + interval '1 minute'
     UNION
     SELECT index FROM asked JOIN change_log g
       ON g.endorser = slug AND g.occurred_at >= at
         AND COALESCE(g.contest_id, (g.body -> 'contest' ->> 'id')::int) = asked.contest_id
     WHERE submission_offset IS NOT NULL AND (g.occurred_at > at + interval '1 minute'
       OR submission_partition = since_partition AND submission_offset > since_offset)`,
    [
      asked.map(({ index }) => index),
      asked.map(({ endorser }) => endorser),
      asked.map(({ contest }) => contest),
      asked.map(({ rejectedAt }) => new Date(rejectedAt).toISOString()),
      asked.map(({ partition }) => partition),
      asked.map(({ offset }) => offset),
    ],
  );
  return new Set(rows.map(({ index }) => index));
}

/** A change of an endorser's position in a contest after a submission was rejected. */
export interface MendingChange {
  sequence: number;
  occurredAt: Date;
  /** The place of the submission that made it. */
  partition: number;
  offset: number;
}

/** The first such change that a submission has made, as long as the change log has it; null without one. */
export async function findMendingChange(
  client: ClientBase | Pool,
  rejected: RejectedSubmission,
): Promise<MendingChange | null> {
  if (!isStorable(rejected)) return null;
  const { endorser, contest, rejectedAt, partition, offset } = rejected;
  const { rows } = await client.query<MendingChange>(
    `SELECT g.sequence::float8 AS sequence, g.occurred_at AS "occurredAt", g.submission_partition AS partition,
       g.submission_offset::float8 AS offset
     FROM change_log g JOIN contests c ON c.key = $2
     WHERE g.endorser = $1 AND g.occurred_at >= $3
       AND COALESCE(g.contest_id, (g.body -> 'contest' ->> 'id')::int) = c.id
       AND g.submission_offset IS NOT NULL AND (g.occurred_at > $3::timestamptz + interval '1 minute'
         OR g.submission_partition = $4 AND g.submission_offset > $5)
     ORDER BY g.sequence LIMIT 1`,
    [endorser, contest, new Date(rejectedAt).toISOString(), partition, offset],
  );
  return rows[0] ?? null;
}
