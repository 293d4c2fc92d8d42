import type { ClientBase } from 'pg';
import type { SubmittedPick } from '../../schemas/submission.ts';
import { binaryArray } from '../connection/binary-array.ts';

/** A stored pick, which is an endorsement. */
export interface StoredPick {
  endorsementId: number;
  endorserId: number;
  contestId: number;
  pick: SubmittedPick;
}

/** An endorsement `n` of a choice `h`, as submissions have it. */
export const PICK = `json_build_object('choice', h.key, 'rank', n.rank, 'statement', n.statement, 'statement_es', n.statement_es,
  'source_url', n.source_url, 'published_on', n.published_on, 'details', NULLIF(n.details, '{}')::text)`;

/** An endorsement to write. */
export interface EndorsementRow {
  id: number;
  endorserId: number;
  contestId: number;
  choiceId: number;
  electionId: number;
  pick: SubmittedPick;
  /** From `hashContent`. */
  contentHash: bigint;
}

/**
 * The picks of endorsers in contests.
 *
 * @param pairs ids of an endorser and a contest.
 * @returns null if their texts have more than `maxBytes`
 */
export async function loadPicks(
  client: ClientBase,
  pairs: readonly (readonly [number, number])[],
  maxBytes: number,
): Promise<StoredPick[] | null> {
  const { rows } = await client.query<StoredPick & { bytes: number }>({
    name: 'load-picks',
    text: `SELECT n.id::float8 AS "endorsementId", n.endorser_id AS "endorserId", n.contest_id AS "contestId",
       ${PICK} AS pick, n.bytes_before + n.bytes AS bytes
     FROM (
       SELECT *, COALESCE(sum(bytes) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::float8
         AS bytes_before
       FROM (
         SELECT n.*, COALESCE(octet_length(statement), 0) + COALESCE(octet_length(statement_es), 0)
           + COALESCE(octet_length(source_url), 0) + pg_column_size(details) AS bytes
         FROM unnest($1::int[], $2::int[]) AS pair (endorser_id, contest_id)
         JOIN endorsements n USING (endorser_id, contest_id)) AS found) AS n
     JOIN choices h ON h.id = n.choice_id
     WHERE n.bytes_before <= $3::float8`,
    values: [pairs.map(([endorserId]) => endorserId), pairs.map(([, contestId]) => contestId), maxBytes],
  });
  return rows.some(({ bytes }) => bytes > maxBytes) ? null : rows;
}

/** New ids for endorsements, in ascending order. */
export async function reserveEndorsementIds(client: ClientBase, count: number): Promise<number[]> {
  if (count === 0) return [];
  const { rows } = await client.query<{ id: number }>(
    `SELECT nextval(pg_get_serial_sequence('endorsements', 'id'))::float8 AS id FROM generate_series(1, $1)`,
    [count],
  );
  return rows.map(({ id }) => id);
}

export async function deleteEndorsements(client: ClientBase, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await client.query('DELETE FROM endorsements WHERE id = ANY($1)', [ids]);
}

const VALUES = `$1::bigint[], $2::int[], $3::text[], $4::text[], $5::text[], $6::date[], $7::jsonb[], $8::numeric[]`;
const COLUMNS = 'rank, statement, statement_es, source_url, published_on, details, content_hash';

/** The values of $1 to $8. */
function columnsOf(rows: readonly EndorsementRow[]): unknown[] {
  const picks = rows.map(({ pick }) => pick);
  const texts = (field: 'statement' | 'statement_es' | 'source_url') =>
    binaryArray(
      'text',
      picks.map((pick) => pick[field]),
    );
  return [
    rows.map(({ id }) => id),
    picks.map(({ rank }) => rank),
    texts('statement'),
    texts('statement_es'),
    texts('source_url'),
    picks.map(({ published_on: day }) => day),
    binaryArray(
      'jsonb',
      picks.map(({ details }) => details),
    ),
    rows.map(({ contentHash }) => String(contentHash)),
  ];
}

/** Inserts endorsements. */
export async function insertEndorsements(
  client: ClientBase,
  rows: readonly EndorsementRow[],
  updatedAt: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'insert-endorsements',
    text: `INSERT INTO endorsements (id, endorser_id, contest_id, choice_id, election_id, ${COLUMNS}, without_hash,
        updated_at)
      SELECT id, endorser_id, contest_id, choice_id, election_id, rank, statement, statement_es, source_url, published_on,
        COALESCE(details, '{}'), content_hash, false, $13::timestamptz
      FROM unnest(${VALUES}, $9::int[], $10::int[], $11::int[], $12::int[])
        AS saved (id, ${COLUMNS}, endorser_id, contest_id, choice_id, election_id)`,
    values: [
      ...columnsOf(rows),
      rows.map((row) => row.endorserId),
      rows.map((row) => row.contestId),
      rows.map((row) => row.choiceId),
      rows.map((row) => row.electionId),
      updatedAt,
    ],
  });
}

/** Replaces the values of endorsements. A change of `details` alone keeps `updated_at`. */
export async function updateEndorsements(
  client: ClientBase,
  rows: readonly EndorsementRow[],
  updatedAt: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'update-endorsements',
    text: `UPDATE endorsements AS held SET
        rank = saved.rank, statement = saved.statement, statement_es = saved.statement_es,
        source_url = saved.source_url, published_on = saved.published_on, details = COALESCE(saved.details, '{}'),
        content_hash = saved.content_hash, without_hash = false,
        updated_at = CASE
          WHEN (held.rank, held.statement, held.statement_es, held.source_url, held.published_on)
            IS DISTINCT FROM (saved.rank, saved.statement, saved.statement_es, saved.source_url, saved.published_on)
          THEN $9::timestamptz ELSE held.updated_at END
      FROM unnest(${VALUES}) AS saved (id, ${COLUMNS})
      WHERE held.id = saved.id
        AND (held.rank, held.statement, held.statement_es, held.source_url, held.published_on, held.details)
          IS DISTINCT FROM (saved.rank, saved.statement, saved.statement_es, saved.source_url, saved.published_on,
            COALESCE(saved.details, '{}'))`,
    values: [...columnsOf(rows), updatedAt],
  });
}
