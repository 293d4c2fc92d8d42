import type { ClientBase } from 'pg';

/** An endorser's statement on a contest, and its time. */
export interface Said {
  /** The endorser's slug. */
  endorser: string;
  /** The contest's key. */
  contest: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Postgres cannot store a NUL, so no name contains one. */
export const isStorable = ({ endorser, contest }: Pick<Said, 'endorser' | 'contest'>) =>
  !`${endorser}${contest}`.includes('\0');

/**
 * The indexes of the statements whose endorser has changed its position in the contest since. All submissions
 * of a batch have one time, so a change at the same time counts, although it may have been earlier. If a
 * change left no endorsement, only the change log knows it, for as long as it keeps it. Edits of the
 * catalogue change no position.
 */
export async function findChangedSince(client: ClientBase, said: Said[]): Promise<Set<number>> {
  const asked = said.map((one, index) => ({ ...one, index })).filter(isStorable);
  const { rows } = await client.query<{ index: number }>(
    `WITH asked AS (
       SELECT index, at, e.id AS endorser_id, e.slug, c.id AS contest_id
       FROM unnest($1::int[], $2::text[], $3::text[], $4::timestamptz[]) AS said (index, endorser, contest, at)
       JOIN endorsers e ON e.slug = said.endorser
       JOIN contests c ON c.key = said.contest)
     SELECT index FROM asked JOIN endorsements n USING (endorser_id, contest_id) WHERE n.updated_at >= at
     UNION
     SELECT index FROM asked JOIN change_log g
       ON g.endorser = slug AND g.occurred_at >= at AND NOT g.from_catalogue
         AND COALESCE(g.contest_id, (g.body -> 'contest' ->> 'id')::int) = asked.contest_id`,
    [
      asked.map(({ index }) => index),
      asked.map(({ endorser }) => endorser),
      asked.map(({ contest }) => contest),
      asked.map(({ at }) => new Date(at).toISOString()),
    ],
  );
  return new Set(rows.map(({ index }) => index));
}
