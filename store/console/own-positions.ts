import type { ClientBase, Pool } from 'pg';
import type { SubmittedPick } from '../../schemas/submission.ts';
import type { VoteMethod } from '../../schemas/vocabulary.ts';

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
  district: string;
  /** In the order of ranks, then of the ballot. */
  picks: { label: string; rank: number | null }[];
}

export interface OwnContestSearch {
  /** The endorser's slug. */
  endorser: string;
  /** The election's slug. */
  election: string;
  /** Only contests without a position. */
  isMissing: boolean;
  /** A part of the title or of the district's name, in any case. */
  contains: string;
  limit: number;
  offset: number;
}

/** The contests of an election in ballot order, each with the endorser's position. */
export async function listOwnContests(
  client: ClientBase | Pool,
  { endorser, election, isMissing, contains, limit, offset }: OwnContestSearch,
): Promise<OwnContest[]> {
  const { rows } = await client.query<OwnContest>(
    `SELECT c.id, c.title, d.name AS district, COALESCE(own.picks, '[]') AS picks
     FROM contests c JOIN districts d ON d.id = c.district_id
       LEFT JOIN LATERAL (
         SELECT json_agg(json_build_object('label', h.label, 'rank', n.rank) ORDER BY n.rank, h.ballot_order, h.id) AS picks
         FROM endorsements n JOIN choices h ON h.id = n.choice_id JOIN endorsers e ON e.id = n.endorser_id
         WHERE n.contest_id = c.id AND e.slug = $1) AS own ON true
     WHERE c.election_slug = $2 AND c.removed_at IS NULL AND (own.picks IS NULL OR NOT $3)
       AND ($4 = '' OR strpos(lower(c.title), lower($4)) > 0 OR strpos(lower(d.name), lower($4)) > 0)
     ORDER BY c.tier, c.ballot_order, c.id LIMIT $5 OFFSET $6`,
    [endorser, election, isMissing, contains, limit, offset],
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

/** A choice that a position can have. */
export interface OwnChoice {
  key: string;
  label: string;
  party: string | null;
  withdrawn: boolean;
}

/** A contest, and an endorser's position in it. */
export interface OwnPosition {
  id: number;
  key: string;
  title: string;
  /** The question or text of a measure. */
  description: string | null;
  district: string;
  election: string;
  electionName: string;
  date: string;
  vote_method: VoteMethod;
  votes_allowed: number | null;
  ranks_allowed: number | null;
  /** In ballot order. */
  choices: OwnChoice[];
  /** In the order of their choices. */
  picks: SubmittedPick[];
}

/** Finds a contest and the endorser's position in it; null if there is no such contest. */
export async function findOwnPosition(
  client: ClientBase | Pool,
  { endorser, contestId }: { endorser: string; contestId: number },
): Promise<OwnPosition | null> {
  const { rows } = await client.query<OwnPosition>(
    `SELECT c.id, c.key, c.title, c.description, d.name AS district, c.election_slug AS election,
       l.name AS "electionName", l.date::text AS date, c.vote_method, c.votes_allowed, c.ranks_allowed,
       (SELECT COALESCE(json_agg(json_build_object('key', h.key, 'label', h.label,
            'party', COALESCE(h.party_label, h.party), 'withdrawn', h.withdrawn) ORDER BY h.ballot_order, h.id), '[]')
        FROM choices h WHERE h.contest_id = c.id AND h.removed_at IS NULL) AS choices,
       (SELECT COALESCE(json_agg(json_build_object('choice', h.key, 'rank', n.rank, 'statement', n.statement,
            'statement_es', n.statement_es, 'source_url', n.source_url, 'published_on', n.published_on,
            'details', NULLIF(n.details, '{}')::text) ORDER BY h.ballot_order, h.id), '[]')
        FROM endorsements n JOIN choices h ON h.id = n.choice_id JOIN endorsers e ON e.id = n.endorser_id
        WHERE n.contest_id = c.id AND e.slug = $1) AS picks
     FROM contests c JOIN districts d ON d.id = c.district_id JOIN elections l ON l.id = c.election_id
     WHERE c.id = $2 AND c.removed_at IS NULL`,
    [endorser, contestId],
  );
  return rows[0] ?? null;
}
