import type { ClientBase } from 'pg';
import type { Removal } from '../../domain/removal-guard.ts';
import { MAX_PICKS, type Submission, type SubmittedPick } from '../../schemas/submission.ts';
import { CONTENDER, MOST_MARKED } from '../endorsements/contenders.ts';

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

/** The effect on an endorsement of sending the staged rows. */
export type Effect = 'created' | 'changed' | 'unchanged' | 'withdrawn';

export interface EffectRow {
  effect: Effect;
  endorser: string;
  contest: string;
  choice: string;
  /** The endorser's name, the contest's title and district, and the choice's label. */
  name: string;
  title: string;
  district: string;
  label: string;
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

interface Staged {
  endorser: string;
  contest: string;
}

/** The last row of each endorsement. */
const WANTED = `wanted AS (
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

/** The stored endorsements of the endorsers in the elections of the table that the staged rows lack. */
const MISSING = `
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
  for await (const row of readAll<Staged & { picks: SubmittedPick[] }>(client, query)) {
    yield { action: 'position', ...row };
  }
}

/**
 * A query of the endorsers and contests whose positions the staged rows may change.
 *
 * @param replace whether what the rows lack is withdrawn
 */
export const touchedPositions = (replace: boolean): string =>
  `SELECT endorser, contest FROM staged_rows ${replace ? `UNION SELECT endorser, contest FROM (${MISSING}) AS missing` : 'GROUP BY 1, 2'}`;

const EFFECTS = (withdraw: boolean) => `WITH ${WANTED}
  SELECT CASE WHEN n.id IS NULL THEN 'created'
    WHEN (n.rank, n.statement, n.statement_es, n.source_url, n.published_on)
      IS DISTINCT FROM (w.rank, w.statement, w.statement_es, w.source_url, w.published_on) THEN 'changed'
    ELSE 'unchanged' END AS effect, w.endorser, w.contest, w.choice,
    md5(ROW(w.rank, w.statement, w.statement_es, w.source_url, w.published_on, w.details,
      n.rank, n.statement, n.statement_es, n.source_url, n.published_on)::text) AS texts
  FROM wanted w
  JOIN endorsers e ON e.slug = w.endorser
  JOIN contests c ON c.key = w.contest
  JOIN choices h ON h.contest_id = c.id AND h.key = w.choice
  LEFT JOIN endorsements n ON n.endorser_id = e.id AND n.choice_id = h.id
  ${withdraw ? `UNION ALL SELECT 'withdrawn', endorser, contest, choice, '' FROM (${MISSING}) AS missing` : ''}`;

/**
 * Compares the staged rows with the stored endorsements.
 *
 * @param replace whether what the rows lack is withdrawn
 * @returns the number of each effect, and the first rows of those that change something. `digest` differs if anything
 * is staged or stored that was not before
 */
export async function compareStage(
  client: ClientBase,
  { replace, most }: { replace: boolean; most: number },
): Promise<{ counts: Record<Effect, number>; rows: EffectRow[]; repeated: number; digest: string }> {
  const counted = await client.query<{ effect: Effect; count: number }>(
    `SELECT effect, count(*)::int AS count FROM (${EFFECTS(replace)}) AS effects GROUP BY effect`,
  );
  const shown = await client.query<EffectRow>(
    `WITH shown AS (
      SELECT effect, endorser, contest, choice FROM (${EFFECTS(replace)}) AS effects WHERE effect <> 'unchanged'
      ORDER BY effect DESC, endorser, contest, choice LIMIT $1)
    SELECT shown.*, e.name, c.title, d.name AS district, h.label FROM shown JOIN endorsers e ON e.slug = shown.endorser
      JOIN contests c ON c.key = shown.contest JOIN districts d ON d.id = c.district_id JOIN choices h ON h.contest_id = c.id AND h.key = shown.choice
    ORDER BY effect DESC, endorser, contest, choice`,
    [most],
  );
  const digested = await client.query<{ digest: string }>(
    `SELECT md5(COALESCE(string_agg(effects::text, ';' ORDER BY endorser, contest, choice), '')) AS digest
    FROM (${EFFECTS(replace)}) AS effects`,
  );
  const repeated = await client.query<{ count: number }>(
    `SELECT (count(*) - count(DISTINCT (endorser, contest, choice)))::int AS count FROM staged_rows`,
  );
  const counts = { created: 0, changed: 0, unchanged: 0, withdrawn: 0 };
  for (const { effect, count } of counted.rows) counts[effect] = count;
  return {
    counts,
    rows: shown.rows,
    repeated: repeated.rows[0]?.count ?? 0,
    digest: digested.rows[0]?.digest ?? '',
  };
}

/** A position that the staged rows add choices to. */
export interface CrowdedPosition {
  endorser: string;
  /** The contest's id. */
  contest: number;
  /** The endorser's name, the contest's title, and its district. */
  name: string;
  title: string;
  district: string;
  /** The labels of its choices, in the order of the ballot. */
  labels: string[];
  /** Whether two of them have one rank. */
  hasRankTwice: boolean;
}

/**
 * The positions that get a choice, and then have more of them than a voter may mark, or a rank twice; at most `most`.
 *
 * @param replace whether what the rows lack is withdrawn
 */
export async function findCrowded(
  client: ClientBase,
  { replace, most }: { replace: boolean; most: number },
): Promise<CrowdedPosition[]> {
  const { rows } = await client.query<CrowdedPosition>(
    `WITH ${WANTED}, meant AS (
      SELECT e.id AS endorser_id, h.contest_id, h.id AS choice_id, w.rank, n.id IS NULL OR n.rank IS DISTINCT FROM w.rank AS is_new
      FROM wanted w JOIN endorsers e ON e.slug = w.endorser JOIN contests c ON c.key = w.contest
        JOIN choices h ON h.contest_id = c.id AND h.key = w.choice
        LEFT JOIN endorsements n ON n.endorser_id = e.id AND n.choice_id = h.id
    ), picks AS (
      SELECT * FROM meant
      ${
        replace
          ? ''
          : `UNION ALL SELECT endorser_id, contest_id, n.choice_id, n.rank, false
        FROM (SELECT DISTINCT endorser_id, contest_id FROM meant WHERE is_new) AS m JOIN endorsements n USING (endorser_id, contest_id)
        WHERE (endorser_id, n.choice_id) NOT IN (SELECT endorser_id, choice_id FROM meant)`
      }
    )
    SELECT e.slug AS endorser, c.id::float8 AS contest, e.name, c.title, d.name AS district,
      array_agg(h.label ORDER BY h.ballot_order, h.id) AS labels, count(rank) > count(DISTINCT rank) AS "hasRankTwice"
    FROM picks p JOIN endorsers e ON e.id = p.endorser_id JOIN contests c ON c.id = p.contest_id
      JOIN districts d ON d.id = c.district_id JOIN choices h ON h.id = p.choice_id
    GROUP BY e.id, c.id, d.id
    HAVING bool_or(is_new) AND (count(rank) > count(DISTINCT rank)
      OR count(DISTINCT ${CONTENDER}) > ${MOST_MARKED})
    ORDER BY e.name, c.title, c.id LIMIT $1`,
    [most],
  );
  return rows;
}

/** Counts the endorsements that replacing would withdraw, by endorser and election. */
export async function countWithdrawals(client: ClientBase): Promise<Removal[]> {
  const { rows } = await client.query<{ endorser: string; election: string; removed: number; of: number }>(
    `SELECT endorser, l.slug AS election, count(*)::int AS removed,
      (SELECT g.endorsements FROM endorsing g JOIN endorsers e ON e.id = g.endorser_id
        WHERE e.slug = missing.endorser AND g.election_id = l.id) AS of
    FROM (${MISSING}) AS missing JOIN elections l ON l.id = missing.election_id
    GROUP BY endorser, l.id, l.slug ORDER BY endorser, l.slug`,
  );
  return rows.map(({ endorser, election, removed, of }) => ({
    from: `${endorser} in ${election}`,
    records: [{ kind: 'endorsements', removed, of }],
  }));
}

/** The endorsers and contests whose staged position has more picks than a submission can. */
export async function findOversizedPositions(
  client: ClientBase,
): Promise<{ endorser: string; contest: string }[]> {
  const { rows } = await client.query<{ endorser: string; contest: string }>(
    `SELECT endorser, contest FROM staged_rows GROUP BY endorser, contest
    HAVING count(DISTINCT choice) > ${MAX_PICKS} LIMIT 5`,
  );
  return rows;
}
