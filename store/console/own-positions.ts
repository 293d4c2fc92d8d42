import type { ClientBase, Pool } from 'pg';
import type { SubmittedPick } from '../../schemas/submission.ts';
import type { VoteMethod } from '../../schemas/vocabulary.ts';
import { CONTENDER, MOST_MARKED } from '../endorsements/contenders.ts';
import { PICK } from '../endorsements/endorsement-rows.ts';
import { folded } from './search.ts';

/** An election whose contests an account can take positions in. */
export interface OpenElection {
  slug: string;
  name: string;
  date: string;
  state: string;
}

/** The elections on or after a date, YYYY-MM-DD, and the one of a slug, by date, state and slug. */
export async function listOpenElections(
  client: ClientBase | Pool,
  { from, slug, limit }: { from: string; slug: string | null; limit: number },
): Promise<OpenElection[]> {
  const { rows } = await client.query<OpenElection>(
    `SELECT slug, name, date::text, state FROM elections
     WHERE (date >= $1 OR slug = $2) AND removed_at IS NULL
     ORDER BY elections.date, state, slug LIMIT $3`,
    [from, slug, limit],
  );
  return rows;
}

/** A contest in a list, with an endorser's position. */
export interface OwnContest {
  id: number;
  title: string;
  title_es: string | null;
  district: string;
  district_es: string | null;
  /** In the order of ranks, then of the ballot. */
  picks: { label: string; rank: number | null }[];
}

export interface OwnContestSearch {
  /** The endorser's slug. */
  endorser: string;
  /** The election's slug. */
  election: string;
  /** Only contests with a position, or only those without; null for all. */
  isTaken: boolean | null;
  /** Only contests of this level or of this kind; empty for all. */
  level: string;
  kind: string;
  /** A part of the title or of the district's name, compared as names are. */
  contains: string;
  limit: number;
  offset: number;
}

/** The contests of an election in ballot order, each with the endorser's position. */
export async function listOwnContests(
  client: ClientBase | Pool,
  { endorser, election, isTaken, level, kind, contains, limit, offset }: OwnContestSearch,
): Promise<OwnContest[]> {
  const { rows } = await client.query<OwnContest>(
    `SELECT c.id, c.title, c.title_es, d.name AS district, d.name_es AS district_es, COALESCE(own.picks, '[]') AS picks
     FROM contests c JOIN districts d ON d.id = c.district_id
       LEFT JOIN LATERAL (
         SELECT json_agg(json_build_object('label', h.label, 'rank', n.rank) ORDER BY n.rank, h.ballot_order, h.id) AS picks
         FROM endorsements n JOIN choices h ON h.id = n.choice_id JOIN endorsers e ON e.id = n.endorser_id
         WHERE n.contest_id = c.id AND e.slug = $1) AS own ON true
     WHERE c.election_slug = $2 AND c.removed_at IS NULL AND ($3::boolean IS NULL OR $3 = (own.picks IS NOT NULL))
       AND ($4 = '' OR $4 = d.level) AND ($5 = '' OR $5 = c.kind)
       AND ($6 = '' OR EXISTS (
         SELECT FROM unnest(ARRAY[c.title, c.title_es, d.name, d.name_es]) AS name
         WHERE strpos(${folded('name')}, (SELECT name_search($6))) > 0))
     ORDER BY c.tier, c.ballot_order, c.id LIMIT $7 OFFSET $8`,
    [endorser, election, isTaken, level, kind, contains, limit, offset],
  );
  return rows;
}

/** The number of an election's contests, and of those in which the endorser has a position. */
export async function countOwnContests(
  client: ClientBase | Pool,
  { endorser, election }: Pick<OwnContestSearch, 'endorser' | 'election'>,
): Promise<{ all: number; taken: number }> {
  const { rows } = await client.query<{ all: number; taken: number }>(
    `SELECT count(*)::int AS all, count(*) FILTER (WHERE EXISTS (
       SELECT FROM endorsements n JOIN endorsers e ON e.id = n.endorser_id
       WHERE n.contest_id = c.id AND e.slug = $1))::int AS taken
     FROM contests c WHERE c.election_slug = $2 AND c.removed_at IS NULL`,
    [endorser, election],
  );
  return rows[0] ?? { all: 0, taken: 0 };
}

/** An endorsement of an account's endorser. */
export interface OwnEndorsement {
  id: number;
  endorser: string;
  election: string;
  /** The contest's key. */
  contest: string;
  choice: string;
  rank: number | null;
  statement: string | null;
  statement_es: string | null;
  /** An address, or what was given instead of one. */
  source: string | null;
  published_on: string | null;
}

/** Which endorsements of the endorsers for which an account may publish. */
export interface OwnEndorsementSearch {
  /** Only those of this endorser; null for all. */
  endorser: string | null;
  /** Only those in this election; null for all. */
  election: string | null;
}

/** The most endorsements that `measureOwnEndorsements` reads. */
const MAX_MEASURED = 250_000;

/**
 * The characters of the texts of an account's endorsements, without commas and other signs in between. Of many
 * endorsements only a part is measured.
 */
export async function measureOwnEndorsements(
  client: ClientBase | Pool,
  accountId: number,
  search: OwnEndorsementSearch,
): Promise<number> {
  const { rows } = await client.query<{ size: number }>(
    `SELECT COALESCE(sum(size), 0)::float8 AS size FROM (
       SELECT length(concat(e.slug, c.election_slug, c.key, h.key, n.rank, n.statement, n.statement_es,
         COALESCE(n.source_url, n.details ->> 'source'), n.published_on)) AS size
       FROM account_endorsers a JOIN endorsers e ON e.id = a.endorser_id JOIN endorsements n ON n.endorser_id = e.id
         JOIN contests c ON c.id = n.contest_id JOIN choices h ON h.id = n.choice_id
       WHERE a.account_id = $1 AND ($2::text IS NULL OR e.slug = $2) AND ($3::text IS NULL OR c.election_slug = $3)
       LIMIT $4) AS measured`,
    [accountId, search.endorser, search.election, MAX_MEASURED],
  );
  return rows[0]?.size ?? 0;
}

/**
 * The endorsements of the endorsers for which an account may publish, by id.
 *
 * @param search.after only those with a higher id
 */
export async function listOwnEndorsements(
  client: ClientBase | Pool,
  accountId: number,
  search: OwnEndorsementSearch & { after: number; limit: number },
): Promise<OwnEndorsement[]> {
  const { rows } = await client.query<OwnEndorsement>(
    `SELECT n.id::float8 AS id, e.slug AS endorser, c.election_slug AS election, c.key AS contest, h.key AS choice, n.rank,
       n.statement, n.statement_es, COALESCE(n.source_url, n.details ->> 'source') AS source,
       n.published_on::text AS published_on
     FROM account_endorsers a JOIN endorsers e ON e.id = a.endorser_id JOIN endorsements n ON n.endorser_id = e.id
       JOIN contests c ON c.id = n.contest_id JOIN choices h ON h.id = n.choice_id
     WHERE a.account_id = $1 AND n.id > $2 AND ($3::text IS NULL OR e.slug = $3)
       AND ($4::text IS NULL OR c.election_slug = $4)
     ORDER BY n.id LIMIT $5`,
    [accountId, search.after, search.endorser, search.election, search.limit],
  );
  return rows;
}

/** A choice that a position can have. */
export interface OwnChoice {
  key: string;
  label: string;
  label_es: string | null;
  party: string | null;
  party_es: string | null;
  withdrawn: boolean;
  /** The same for the lines of a candidate, and for no other choices. */
  contender: number;
  /** The candidate's name; null for a choice that is not a candidate. */
  candidate: string | null;
}

/** A contest, and an endorser's position in it. */
export interface OwnPosition {
  id: number;
  key: string;
  title: string;
  title_es: string | null;
  /** The question or text of a measure. */
  description: string | null;
  description_es: string | null;
  district: string;
  election: string;
  electionName: string;
  date: string;
  vote_method: VoteMethod;
  ranks_allowed: number | null;
  /** The most contenders that a voter may mark or rank; null if it is not known. */
  mostMarked: number | null;
  /** In ballot order. */
  choices: OwnChoice[];
  /** In the order of their choices. */
  picks: SubmittedPick[];
  /** The last change of the stream that the picks reflect. Later ones have a higher sequence. */
  sequence: number;
  /** Whether a change of the position has a higher sequence than the one asked about. */
  isChanged: boolean;
}

/**
 * Finds a contest and the endorser's position in it; null if there is no such contest.
 *
 * @param subject.since the sequence that `isChanged` compares with; without one, it is false
 */
export async function findOwnPosition(
  client: ClientBase | Pool,
  { endorser, contestId, since }: { endorser: string; contestId: number; since: number | null },
): Promise<OwnPosition | null> {
  const { rows } = await client.query<OwnPosition>(
    `SELECT c.id, c.key, c.title, c.title_es, c.description, c.description_es, d.name AS district, c.election_slug AS election,
       l.name AS "electionName", l.date::text AS date, c.vote_method, c.ranks_allowed,
       ${MOST_MARKED} AS "mostMarked",
       (SELECT COALESCE(json_agg(json_build_object('key', h.key, 'label', h.label, 'label_es', h.label_es,
            'party', COALESCE(h.party_label, h.party), 'party_es', h.party_label_es, 'withdrawn', h.withdrawn,
            'contender', ${CONTENDER}, 'candidate', k.full_name)
          ORDER BY h.ballot_order, h.id), '[]')
        FROM choices h LEFT JOIN candidates k ON k.id = h.candidate_id WHERE h.contest_id = c.id AND h.removed_at IS NULL) AS choices,
       (SELECT COALESCE(json_agg(${PICK} ORDER BY h.ballot_order, h.id), '[]')
        FROM endorsements n JOIN choices h ON h.id = n.choice_id JOIN endorsers e ON e.id = n.endorser_id
        WHERE n.contest_id = c.id AND e.slug = $1) AS picks,
       (SELECT last_sequence FROM stream_head)::float8 AS sequence,
       EXISTS (SELECT FROM change_log WHERE contest_id = c.id AND endorser = $1 AND sequence > $3) AS "isChanged"
     FROM contests c JOIN districts d ON d.id = c.district_id JOIN elections l ON l.id = c.election_id
     WHERE c.id = $2 AND c.removed_at IS NULL`,
    [endorser, contestId, since],
  );
  return rows[0] ?? null;
}
