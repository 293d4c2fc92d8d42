import type { ClientBase, Pool } from 'pg';

/** A submission that was rejected. */
export interface RejectedSubmission {
  /** The endorser's slug. */
  endorser: string;
  /** The contest's key. */
  contest: string;
  /** Its place in the topic of submissions. */
  partition: number;
  offset: number;
  /** When it was rejected, in milliseconds since 1970. */
  rejectedAt: number;
}

/** Postgres cannot hold a NUL, so that no record is named by text with one. */
const isStorable = ({ endorser, contest }: RejectedSubmission) => !`${endorser}${contest}`.includes('\0');

/**
 * The indexes of the rejected submissions after which a submission has changed the endorser's position in the contest.
 * Within a batch, times do not tell which submission came first, but offsets do; a minute later it was another batch. A
 * change that left no endorsement is known as long as the change log keeps it.
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
