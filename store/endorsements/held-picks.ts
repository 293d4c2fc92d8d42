import type { ClientBase } from 'pg';
import type { SubmittedPick } from '../../schemas/submission.ts';

/** A stored pick, which is an endorsement. */
export interface StoredPick {
  endorsementId: number;
  endorserId: number;
  contestId: number;
  pick: SubmittedPick;
}

/** An endorsement to write. */
export interface EndorsementRow {
  id: number;
  endorserId: number;
  contestId: number;
  choiceId: number;
  electionId: number;
  pick: SubmittedPick;
}

/**
 * The picks of endorsers in contests.
 *
 * @param pairs ids of an endorser and a contest.
 */
export async function loadPicks(client: ClientBase, pairs: [number, number][]): Promise<StoredPick[]> {
  const { rows } = await client.query<{
    id: string;
    endorser_id: number;
    contest_id: number;
    pick: SubmittedPick;
  }>(
    `SELECT n.id, n.endorser_id, n.contest_id,
       json_build_object(
         'choice', h.key, 'rank', n.rank, 'statement', n.statement, 'statement_es', n.statement_es,
         'source_url', n.source_url, 'published_on', n.published_on,
         'details', CASE WHEN n.details <> '{}' THEN n.details::text END) AS pick
     FROM unnest($1::int[], $2::int[]) AS pair (endorser_id, contest_id)
     JOIN endorsements n USING (endorser_id, contest_id)
     JOIN choices h ON h.id = n.choice_id`,
    [pairs.map(([endorserId]) => endorserId), pairs.map(([, contestId]) => contestId)],
  );
  return rows.map((row) => ({
    endorsementId: Number(row.id),
    endorserId: row.endorser_id,
    contestId: row.contest_id,
    pick: row.pick,
  }));
}

/** New ids for endorsements, in ascending order. */
export async function reserveEndorsementIds(client: ClientBase, count: number): Promise<number[]> {
  if (count === 0) return [];
  const { rows } = await client.query<{ id: string }>(
    `SELECT nextval(pg_get_serial_sequence('endorsements', 'id')) AS id FROM generate_series(1, $1)`,
    [count],
  );
  return rows.map((row) => Number(row.id));
}

export async function deleteEndorsements(client: ClientBase, ids: number[]): Promise<void> {
  if (ids.length > 0) await client.query('DELETE FROM endorsements WHERE id = ANY($1)', [ids]);
}

/**
 * Inserts endorsements, or replaces the values of those whose id exists. A row of which only `details` change keeps its
 * `updated_at`.
 */
export async function saveEndorsements(
  client: ClientBase,
  rows: EndorsementRow[],
  updatedAt: Date,
): Promise<void> {
  if (rows.length === 0) return;
  const column = <T>(value: (row: EndorsementRow) => T): T[] => rows.map(value);
  await client.query(
    `INSERT INTO endorsements AS held
       (id, endorser_id, contest_id, choice_id, election_id, rank, statement, statement_es, source_url,
        published_on, details, updated_at)
     SELECT id, endorser_id, contest_id, choice_id, election_id, rank, statement, statement_es, source_url,
       published_on, COALESCE(details, '{}'), $12
     FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[], $7::text[], $8::text[],
       $9::text[], $10::date[], $11::jsonb[])
       AS saved (id, endorser_id, contest_id, choice_id, election_id, rank, statement, statement_es, source_url,
         published_on, details)
     ON CONFLICT (id) DO UPDATE SET
       rank = excluded.rank, statement = excluded.statement, statement_es = excluded.statement_es,
       source_url = excluded.source_url, published_on = excluded.published_on, details = excluded.details,
       updated_at = CASE
         WHEN (held.rank, held.statement, held.statement_es, held.source_url, held.published_on)
           IS DISTINCT FROM (excluded.rank, excluded.statement, excluded.statement_es, excluded.source_url,
             excluded.published_on)
         THEN excluded.updated_at ELSE held.updated_at END
     WHERE (held.rank, held.statement, held.statement_es, held.source_url, held.published_on, held.details)
       IS DISTINCT FROM (excluded.rank, excluded.statement, excluded.statement_es, excluded.source_url,
         excluded.published_on, excluded.details)`,
    [
      column((row) => row.id),
      column((row) => row.endorserId),
      column((row) => row.contestId),
      column((row) => row.choiceId),
      column((row) => row.electionId),
      column((row) => row.pick.rank),
      column((row) => row.pick.statement),
      column((row) => row.pick.statement_es),
      column((row) => row.pick.source_url),
      column((row) => row.pick.published_on),
      column((row) => row.pick.details),
      updatedAt,
    ],
  );
}
