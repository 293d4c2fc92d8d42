import type { ClientBase } from 'pg';
import { type MergeCounts, mergeStaged } from './merge.ts';
import { noteUnranked } from './settled.ts';

/** Merges the staged elections. Restores removed ones. */
export async function mergeElections(client: ClientBase): Promise<MergeCounts> {
  await client.query(`
    CREATE TEMPORARY TABLE staged_elections ON COMMIT DROP AS
    SELECT ordinal, slug, name, name_es, short_name, short_name_es, date, state, type, primary_system, info_url,
      COALESCE(details, '{}') AS details, source, NULL::timestamptz AS removed_at
    FROM staged, jsonb_to_record(staged.record)
      AS record(slug text, name text, name_es text, short_name text, short_name_es text, date date, state text,
        type text, primary_system text, info_url text, details jsonb, source jsonb)
    WHERE kind = 'elections' AND NOT refused`);
  return mergeStaged(client, {
    table: 'elections',
    staged: 'staged_elections',
    on: 't.slug = s.slug',
    identity: ['slug'],
    columns: [
      ...['name', 'name_es', 'short_name', 'short_name_es', 'date', 'state', 'type', 'primary_system'],
      ...['info_url', 'details', 'source', 'removed_at'],
    ],
    name: 's.slug',
    label: 's.name',
  });
}

/** An election that feeds name otherwise. */
export interface AmbiguousElection {
  slug: string;
  /** The name that counts. */
  name: string;
  /** Another name, and the feed that gives it. */
  other: string;
  file: string;
  /** The number of further feeds with other names. */
  more: number;
}

/** The first elections of which feeds gave names that do not count. The elections must be merged already. */
export async function findAmbiguousElections(
  client: ClientBase,
  limit: number,
): Promise<AmbiguousElection[]> {
  const { rows } = await client.query<AmbiguousElection>(
    `SELECT l.slug, l.name, (array_agg(s.name ORDER BY s.ordinal))[1] AS other,
       (array_agg(s.file ORDER BY s.ordinal))[1] AS file, count(*)::int - 1 AS more
     FROM dropped_names s JOIN elections l USING (slug)
     WHERE s.name <> l.name
     GROUP BY l.id ORDER BY min(s.ordinal) LIMIT $1`,
    [limit],
  );
  return rows;
}

/** Spreads the staged contests into `contest_records` and their districts into `district_records`. */
export async function spreadContests(client: ClientBase): Promise<void> {
  await client.query(`
    CREATE TEMPORARY TABLE contest_records ON COMMIT DROP AS
    SELECT ordinal, record.*
    FROM staged, jsonb_to_record(staged.record)
      AS record(key text, election text, title text, title_es text, short_title text, short_title_es text,
        description text, description_es text, kind text, vote_method text, votes_allowed integer,
        ranks_allowed integer, measure_code text, ballot_order integer, district jsonb, choices jsonb,
        source_url text, details jsonb, source jsonb)
    WHERE staged.kind = 'contests' AND NOT refused`);
  await client.query(`
    CREATE TEMPORARY TABLE district_records ON COMMIT DROP AS
    SELECT ordinal, contest_records.key AS contest, election, record.*
    FROM contest_records, jsonb_to_record(district)
      AS record(ocd_id text, name text, name_es text, level text, type text, state text)`);
  await client.query('ANALYZE contest_records');
  await client.query('ANALYZE district_records');
}

/** Compares as the unique index districts_identity does. */
const SAME_DISTRICT = `COALESCE(t.ocd_id, t.name) = COALESCE(s.ocd_id, s.name)
  AND (t.ocd_id IS NULL) = (s.ocd_id IS NULL) AND t.level = s.level AND t.type = s.type
  AND COALESCE(t.state, '') = COALESCE(s.state, '')`;

/**
 * Merges the districts of the staged contests. If contests give a district several names, it keeps its present name, or
 * gets that of the latest election, so that the order of the files does not rename it. Contests that are not staged give
 * it the present name, unless their elections are earlier: two feeds that share a district would otherwise rename it in
 * turn.
 *
 * @param options.keepMissing whether contests that the staged elections lack stay
 */
export async function mergeDistricts(
  client: ClientBase,
  { keepMissing }: { keepMissing: boolean },
): Promise<MergeCounts> {
  await client.query(`
    CREATE TEMPORARY TABLE staged_districts ON COMMIT DROP AS
    SELECT DISTINCT ON (COALESCE(s.ocd_id, s.name), s.ocd_id IS NULL, s.level, s.type, COALESCE(s.state, '')) s.*
    FROM district_records s JOIN elections l ON l.slug = s.election LEFT JOIN districts t ON ${SAME_DISTRICT}
    ORDER BY COALESCE(s.ocd_id, s.name), s.ocd_id IS NULL, s.level, s.type, COALESCE(s.state, ''),
      (t.name, t.name_es) IS NOT DISTINCT FROM (s.name, s.name_es) DESC, l.date DESC, s.ordinal`);
  await client.query(
    `UPDATE staged_districts s SET name = t.name, name_es = t.name_es
    FROM districts t, elections given
    WHERE ${SAME_DISTRICT} AND (t.name, t.name_es) IS DISTINCT FROM (s.name, s.name_es) AND given.slug = s.election
      AND EXISTS (
        SELECT FROM contests c JOIN elections l ON l.id = c.election_id
        WHERE c.district_id = t.id AND c.removed_at IS NULL AND l.date >= given.date
          AND CASE WHEN $1 THEN c.key NOT IN (SELECT key FROM contest_records)
            ELSE l.slug NOT IN (SELECT election FROM contest_records) END)`,
    [keepMissing],
  );
  return mergeStaged(client, {
    table: 'districts',
    staged: 'staged_districts',
    on: SAME_DISTRICT,
    identity: ['ocd_id', 'level', 'type', 'state'],
    columns: ['name', 'name_es'],
    name: 'COALESCE(s.ocd_id, s.name)',
    label: 's.name',
  });
}

/** A district with several names in the contests. */
export interface AmbiguousDistrict {
  /** The OCD id, or else the name, identifies the district together with level, type and state. */
  ocdId: string | null;
  level: string;
  type: string;
  state: string | null;
  /** The chosen name. */
  name: string;
  /** The other names, each with one of the contests that give it. */
  others: { name: string; contest: string }[];
}

/** The first districts with conflicting descriptions in the staged contests. The districts must be merged already. */
export async function findAmbiguousDistricts(
  client: ClientBase,
  limit: number,
): Promise<AmbiguousDistrict[]> {
  const { rows } = await client.query<AmbiguousDistrict>(
    `SELECT t.ocd_id AS "ocdId", t.level, t.type, t.state, t.name,
       json_agg(json_build_object('contest', s.contest, 'name', s.name || CASE WHEN s.name = t.name
         THEN ' (in Spanish: ' || COALESCE(s.name_es, 'none') || ')' ELSE '' END) ORDER BY s.ordinal) AS others
     FROM (
       SELECT DISTINCT ON (ocd_id, level, type, state, name, name_es) * FROM district_records
       ORDER BY ocd_id, level, type, state, name, name_es, ordinal
     ) AS s JOIN districts t ON ${SAME_DISTRICT}
     WHERE (s.name, s.name_es) IS DISTINCT FROM (t.name, t.name_es)
     GROUP BY t.id ORDER BY min(s.ordinal) LIMIT $1`,
    [limit],
  );
  return rows;
}

/**
 * Merges the staged contests. Restores removed ones, without the choices that they had.
 *
 * @param options.keepMissing whether the contests are a part of their elections: those without a `ballot_order` keep
 * their places, and new ones follow the others
 */
export async function mergeContests(
  client: ClientBase,
  { keepMissing }: { keepMissing: boolean },
): Promise<MergeCounts> {
  await client.query(`
    CREATE TEMPORARY TABLE staged_contests ON COMMIT DROP AS
    SELECT contest.ordinal, contest.key, elections.id AS election_id, t.id AS district_id, contest.title,
      contest.title_es, contest.short_title, contest.short_title_es, contest.description, contest.description_es,
      contest.kind, contest.vote_method, contest.votes_allowed, contest.ranks_allowed, contest.measure_code,
      COALESCE(
        contest.ballot_order,
        old.ballot_order,
        LEAST(COALESCE(others.last, 0) + row_number() OVER (PARTITION BY contest.election ORDER BY contest.ordinal),
          2147483647)
      )::integer AS ballot_order,
      contest.source_url, COALESCE(contest.details, '{}') AS details, contest.source,
      NULL::timestamptz AS removed_at
    FROM contest_records contest
    JOIN elections ON elections.slug = contest.election
    JOIN district_records s USING (ordinal)
    JOIN districts t ON ${SAME_DISTRICT}
    LEFT JOIN contests old ON ${keepMissing} AND old.key = contest.key AND old.removed_at IS NULL
    LEFT JOIN (SELECT election_id, max(ballot_order) AS last FROM contests WHERE removed_at IS NULL GROUP BY election_id)
      AS others ON ${keepMissing} AND others.election_id = elections.id`);
  await noteUnranked(client);
  await client.query(`
    UPDATE choices SET removed_at = c.removed_at FROM contests c JOIN staged_contests USING (key)
    WHERE choices.contest_id = c.id AND c.removed_at IS NOT NULL AND choices.removed_at IS NULL`);
  return mergeStaged(client, {
    table: 'contests',
    staged: 'staged_contests',
    on: 't.key = s.key',
    identity: ['key', 'election_id'],
    columns: [
      ...['district_id', 'title', 'title_es', 'short_title', 'short_title_es', 'description'],
      ...['description_es', 'kind', 'vote_method', 'votes_allowed', 'ranks_allowed', 'measure_code'],
      ...['ballot_order', 'source_url', 'details', 'source', 'removed_at'],
    ],
    name: 's.key',
    label: 's.title',
  });
}
