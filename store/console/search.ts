import type { ClientBase, Pool } from 'pg';
import type { Language } from '../../schemas/vocabulary.ts';

/** The most contests that a search looks through: those of the nearest elections, upcoming ones first. */
export const MAX_SEARCHED_CONTESTS = 10_000;

interface FoundElection {
  slug: string;
  name: string;
  date: string;
  state: string;
}

/** A contest, or the contest of a choice. */
interface FoundContest {
  id: number;
  title: string;
  district: string;
  date: string;
  state: string;
}

interface FoundChoice extends FoundContest {
  label: string;
}

export interface FoundOnBallots {
  elections: FoundElection[];
  contests: FoundContest[];
  choices: FoundChoice[];
  /** Whether contests were left out, because there are more than are looked through. */
  isPart: boolean;
}

export interface BallotSearch {
  /** As people type it: every word must occur, in any order, compared as names are. */
  text: string;
  lang: Language;
  /** The first date, YYYY-MM-DD, of upcoming elections. */
  from: string;
  /** The most records of each kind. */
  limit: number;
}

/** A text in the language $2, in English without a translation. */
const inLanguage = (of: string, column: string) =>
  `CASE WHEN $2 = 'es' THEN COALESCE(${of}.${column}_es, ${of}.${column}) ELSE ${of}.${column} END`;

/**
 * A text as searches compare it. Without other characters than those of ASCII, which takes the twentieth of the time,
 * it has the same words as name_search() gives it.
 */
export const folded = (text: string): string =>
  `CASE WHEN octet_length(${text}) = char_length(${text}) THEN translate(lower(${text}), '''\`', '') ELSE name_search(${text}) END`;

/** Whether every word of the search occurs in the texts. */
const contains = (...texts: string[]) =>
  `concat_ws(' ', ${texts.map(folded).join(', ')}) COLLATE "C" LIKE ALL ((SELECT patterns FROM sought)::text[])`;

const NEAR = `
  SELECT * FROM (
    (SELECT * FROM contests WHERE removed_at IS NULL AND election_date >= $3
     ORDER BY election_date, election_slug, tier, ballot_order, id LIMIT $5 + 1)
    UNION ALL
    (SELECT * FROM contests WHERE removed_at IS NULL AND election_date < $3
     ORDER BY election_date DESC, election_slug DESC, tier DESC, ballot_order DESC, id DESC LIMIT $5 + 1)
  ) AS nearest LIMIT $5 + 1`;

/** The name of an election, in English without a translation; null if the election does not exist. */
export async function findElectionName(
  client: ClientBase | Pool,
  slug: string,
  lang: Language,
): Promise<string | null> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT ${inLanguage('l', 'name')} AS name FROM elections l WHERE slug = $1 AND removed_at IS NULL`,
    [slug, lang],
  );
  return rows[0]?.name ?? null;
}

/** Looks for elections, contests and choices by their names, in both languages. Those of the nearest elections are first. */
export async function searchBallots(
  client: ClientBase | Pool,
  { text, lang, from, limit }: BallotSearch,
): Promise<FoundOnBallots> {
  const { rows } = await client.query<FoundOnBallots>(
    `WITH sought AS MATERIALIZED (
       SELECT array_agg('%' || regexp_replace(word, '[%_\\\\]', '\\\\\\&', 'g') || '%') AS patterns
       FROM string_to_table(name_search($1), ' ') AS word WHERE word <> ''
     ), near AS MATERIALIZED (${NEAR}
     ), placed AS MATERIALIZED (
       SELECT n.*, d.name AS district, d.name_es AS district_es, l.state, row_number() OVER (
           ORDER BY n.election_date < $3, abs(n.election_date - $3::date), n.election_slug, n.tier, n.ballot_order, n.id) AS place
       FROM near n JOIN districts d ON d.id = n.district_id JOIN elections l ON l.id = n.election_id
     ), found_elections AS (
       SELECT slug, ${inLanguage('l', 'name')} AS name, date, state FROM elections l
       WHERE removed_at IS NULL AND ${contains('name', 'name_es', 'state', 'date::text')}
       ORDER BY date < $3, abs(date - $3::date), slug LIMIT $4
     ), found_contests AS (
       SELECT id, ${inLanguage('p', 'title')} AS title, ${inLanguage('p', 'district')} AS district, election_date AS date, state, place FROM placed p
       WHERE ${contains('title', 'title_es', 'short_title', 'district', 'district_es', 'measure_code', 'state')}
       ORDER BY place LIMIT $4
     ), found_choices AS (
       SELECT id, ${inLanguage('o', 'title')} AS title, ${inLanguage('o', 'district')} AS district, date, state, place, ballot_order, ${inLanguage('o', 'label')} AS label
       FROM (
         -- OFFSET 0 keeps the condition from being tried on the choices of all contests.
         SELECT p.id, p.title, p.title_es, p.district, p.district_es, p.election_date AS date, p.state, p.place,
           h.id AS choice_id, h.ballot_order, h.label, h.label_es, k.full_name
         FROM placed p JOIN choices h ON h.contest_id = p.id LEFT JOIN candidates k ON k.id = h.candidate_id
         WHERE h.removed_at IS NULL OFFSET 0) AS o
       WHERE ${contains('label', 'label_es', 'full_name')}
       ORDER BY place, ballot_order, choice_id LIMIT $4
     )
     SELECT
       (SELECT COALESCE(json_agg(e), '[]') FROM found_elections e) AS elections,
       (SELECT COALESCE(json_agg(c ORDER BY place), '[]') FROM found_contests c) AS contests,
       (SELECT COALESCE(json_agg(h ORDER BY place, ballot_order), '[]') FROM found_choices h) AS choices,
       (SELECT count(*) > $5 FROM near) AS "isPart"`,
    [text, lang, from, limit, MAX_SEARCHED_CONTESTS],
  );
  return rows[0] ?? { elections: [], contests: [], choices: [], isPart: false };
}
