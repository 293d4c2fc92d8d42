import type { ClientBase } from 'pg';
import { MAX_PICKS, type Submission, type SubmittedPick } from '../../schemas/submission.ts';

/** An endorsement that a row of a table makes. */
export interface StagedRow extends SubmittedPick {
  /** The line of the table. */
  line: number;
  /** Slugs and keys of the catalogue. */
  endorser: string;
  contest: string;
}

/** An endorser of whom a table has rows about an election, by their slugs. */
export interface StagedList {
  endorser: string;
  election: string;
}

const PAGE = 1_000;

/** Creates the temporary tables of staged rows, which live until the caller's transaction ends. */
export async function createStage(client: ClientBase): Promise<void> {
  await client.query(`
    CREATE TEMPORARY TABLE staged_rows (
      ordinal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      line integer NOT NULL, endorser text NOT NULL, contest text NOT NULL, choice text NOT NULL,
      rank integer, statement text, statement_es text, source_url text, published_on date, details text
    ) ON COMMIT DROP;
    CREATE TEMPORARY TABLE staged_lists (
      endorser text, election text, PRIMARY KEY (endorser, election)) ON COMMIT DROP`);
}

const COLUMNS =
  'line, endorser, contest, choice, rank, statement, statement_es, source_url, published_on, details';

/** Stages rows after the earlier ones. */
export async function stageRows(client: ClientBase, rows: readonly StagedRow[]): Promise<void> {
  await client.query(
    `INSERT INTO staged_rows (${COLUMNS})
    SELECT ${COLUMNS} FROM ROWS FROM (jsonb_to_recordset($1) AS (line integer, endorser text, contest text, choice text,
      rank integer, statement text, statement_es text, source_url text, published_on date, details text))
      WITH ORDINALITY AS given (${COLUMNS}, place) ORDER BY place`,
    [JSON.stringify(rows)],
  );
}

/** Stages the lists of which the table has rows, also those that endorse nothing. */
export async function stageLists(client: ClientBase, lists: readonly StagedList[]): Promise<void> {
  await client.query(
    `INSERT INTO staged_lists SELECT endorser, election FROM jsonb_to_recordset($1) AS (endorser text, election text)
    ON CONFLICT DO NOTHING`,
    [JSON.stringify(lists)],
  );
}

/** Prepares the staged rows for the functions below. */
export async function finishStage(client: ClientBase): Promise<void> {
  await client.query('CREATE INDEX ON staged_rows (endorser, contest, choice)');
  await client.query('ANALYZE staged_rows');
}

/** The values of a pick that a table can lack a column for. */
export const OPTIONAL_VALUES = [
  'rank',
  'statement',
  'statement_es',
  'source_url',
  'published_on',
  'details',
] as const satisfies (keyof SubmittedPick)[];
export type OptionalValue = (typeof OPTIONAL_VALUES)[number];

/**
 * Gives staged rows the stored values that their table has no column for, so that these stay as they are. A column of
 * sources has only the source of the `details`.
 */
export async function keepStored(client: ClientBase, values: readonly OptionalValue[]): Promise<void> {
  const details = values.includes('details')
    ? 'n.details'
    : `(n.details - 'source') || COALESCE(s.details::jsonb, '{}')`;
  const kept = values.filter((value) => value !== 'details').map((value) => `${value} = n.${value}`);
  await client.query(
    `UPDATE staged_rows s SET ${[...kept, `details = NULLIF(${details}, '{}')::text`].join(', ')}
    FROM endorsers e, contests c, choices h, endorsements n
    WHERE e.slug = s.endorser AND c.key = s.contest AND h.contest_id = c.id AND h.key = s.choice
      AND n.endorser_id = e.id AND n.choice_id = h.id`,
  );
}

const PICK = `json_build_object('choice', choice, 'rank', rank, 'statement', statement, 'statement_es', statement_es,
  'source_url', source_url, 'published_on', to_char(published_on, 'YYYY-MM-DD'), 'details', details)`;

/** Reads the rows of a query through a cursor. */
async function* readAll<T extends object>(client: ClientBase, query: string): AsyncGenerator<T> {
  await client.query(`DECLARE staged_cursor NO SCROLL CURSOR FOR ${query}`);
  for (;;) {
    const { rows } = await client.query<T>(`FETCH ${PAGE} FROM staged_cursor`);
    if (rows.length === 0) break;
    yield* rows;
  }
  await client.query('CLOSE staged_cursor');
}

/** A common table of the last row of each endorsement. */
export const WANTED = `wanted AS (
  SELECT DISTINCT ON (endorser, contest, choice) * FROM staged_rows ORDER BY endorser, contest, choice, ordinal DESC)`;

/**
 * The whole positions in which staged picks take the ranks of other ones: one pick after another, they would be rejected. A
 * position that would have a rank twice is not among them.
 */
const REORDERED = `held AS (
    SELECT w.endorser, w.contest, h.key AS choice, n.rank, n.statement, n.statement_es, n.source_url, n.published_on,
      NULLIF(n.details, '{}')::text AS details
    FROM (SELECT DISTINCT endorser, contest FROM wanted WHERE rank IS NOT NULL) AS w
      JOIN endorsers e ON e.slug = w.endorser JOIN contests c ON c.key = w.contest
      JOIN endorsements n ON n.endorser_id = e.id AND n.contest_id = c.id JOIN choices h ON h.id = n.choice_id
  ), reordered AS (
    SELECT endorser, contest, json_agg(${PICK} ORDER BY ordinal) AS picks, min(ordinal) AS ordinal
    FROM (
      SELECT endorser, contest, choice, rank, statement, statement_es, source_url, published_on, details, ordinal FROM wanted
      UNION ALL
      SELECT *, NULL FROM held
      WHERE NOT EXISTS (SELECT FROM wanted w WHERE (w.endorser, w.contest, w.choice) = (held.endorser, held.contest, held.choice))
    ) AS picks
    WHERE EXISTS (
      SELECT FROM wanted w JOIN held h USING (endorser, contest, rank)
      WHERE (endorser, contest) = (picks.endorser, picks.contest) AND w.choice <> h.choice)
    GROUP BY endorser, contest HAVING count(rank) = count(DISTINCT rank) AND count(*) <= ${MAX_PICKS})`;

/** The staged endorsements as submissions of one pick, or of whole positions that get another order, in the order of the table. */
export async function* readEndorses(client: ClientBase): AsyncGenerator<Submission> {
  const query = `WITH ${WANTED}, ${REORDERED}
    SELECT 'endorse' AS action, endorser, contest, json_build_array(${PICK}) AS picks, ordinal FROM wanted w
    WHERE NOT EXISTS (SELECT FROM reordered r WHERE (r.endorser, r.contest) = (w.endorser, w.contest))
    UNION ALL
    SELECT 'position', endorser, contest, picks, ordinal FROM reordered ORDER BY ordinal`;
  for await (const { action, endorser, contest, picks } of readAll<Submission>(client, query)) {
    yield { action, endorser, contest, picks };
  }
}

/** A query of the stored endorsements of the endorsers in the elections of the table that the staged rows lack. */
export const MISSING = `
  SELECT e.slug AS endorser, c.key AS contest, h.key AS choice, n.election_id
  FROM (
    SELECT endorser, split_part(contest, '/', 1) AS election FROM staged_rows UNION TABLE staged_lists
  ) AS whole
  JOIN endorsers e ON e.slug = whole.endorser
  JOIN elections l ON l.slug = whole.election
  JOIN endorsements n ON n.endorser_id = e.id AND n.election_id = l.id
  JOIN contests c ON c.id = n.contest_id
  JOIN choices h ON h.id = n.choice_id
  WHERE NOT EXISTS (SELECT FROM staged_rows s WHERE s.endorser = e.slug AND s.contest = c.key AND s.choice = h.key)`;

/**
 * The whole positions of the staged endorsers in the staged elections, by endorser and contest: the staged picks, and
 * no picks where the rows lack a stored position.
 */
export async function* readPositions(client: ClientBase): AsyncGenerator<Submission> {
  const query = `WITH ${WANTED}
    SELECT endorser, contest, json_agg(${PICK} ORDER BY ordinal) AS picks FROM wanted GROUP BY endorser, contest
    UNION ALL
    SELECT endorser, contest, '[]' FROM (
      SELECT endorser, contest FROM (${MISSING}) AS missing EXCEPT SELECT endorser, contest FROM staged_rows
    ) AS emptied
    ORDER BY endorser, contest`;
  for await (const row of readAll<Omit<Submission, 'action'>>(client, query)) {
    yield { action: 'position', ...row };
  }
}
