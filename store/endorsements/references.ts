import type { ClientBase } from 'pg';
import type { BallotContest } from '../../domain/decide-batch.ts';
import type { ChangeBody } from '../../schemas/change.ts';

/** The parts of an event's body that come from the catalogue. */
export type EventPart = 'endorser' | 'contest' | 'election' | 'choice';

/**
 * The parts of an event's body as SQL, over the aliases of `EVENT_TABLES`. Unlike the records of reads/, they
 * do not depend on a language.
 */
export const EVENT_PARTS: Record<EventPart, string> = {
  endorser: `json_build_object(
    'id', e.id, 'slug', e.slug, 'name', e.name,
    'category', json_build_object('slug', k.slug, 'name', k.name),
    'state', COALESCE(e.state, 'national'))`,
  contest: `json_build_object(
    'id', c.id, 'title', c.title, 'short_title', c.short_title, 'kind', c.kind, 'vote_method', c.vote_method,
    'votes_allowed', c.votes_allowed, 'ranks_allowed', c.ranks_allowed, 'measure_code', c.measure_code,
    'district', json_build_object(
      'id', d.id, 'name', d.name, 'level', d.level, 'ocd_id', d.ocd_id, 'state', d.state))`,
  election: `json_build_object(
    'id', l.id, 'slug', l.slug, 'name', l.name, 'date', l.date, 'state', l.state, 'type', l.type)`,
  choice: `json_build_object(
    'id', h.id, 'label', h.label, 'measure_answer', h.measure_answer,
    'candidate', CASE WHEN p.id IS NOT NULL THEN json_build_object('id', p.id, 'full_name', p.full_name) END,
    'party', h.party, 'withdrawn', h.withdrawn)`,
};

/** The tables behind a part of an event's body. */
export const EVENT_TABLES: Record<EventPart, string> = {
  endorser: 'endorsers e JOIN endorser_categories k ON k.slug = e.category',
  contest: 'contests c JOIN districts d ON d.id = c.district_id',
  election: 'elections l',
  choice: 'choices h LEFT JOIN candidates p ON p.id = h.candidate_id',
};

/** Joins the tables of all parts to endorsements `n`. */
export const EVENT_JOINS = `
  JOIN (${EVENT_TABLES.endorser}) ON e.id = n.endorser_id JOIN (${EVENT_TABLES.contest}) ON c.id = n.contest_id
  JOIN ${EVENT_TABLES.election} ON l.id = n.election_id JOIN (${EVENT_TABLES.choice}) ON h.id = n.choice_id`;

/** The endorsers of these slugs, by slug, without unknown ones. */
export async function loadEndorsers(
  client: ClientBase,
  slugs: string[],
): Promise<Map<string, ChangeBody['endorser']>> {
  const { rows } = await client.query<{ endorser: ChangeBody['endorser'] }>(
    `SELECT ${EVENT_PARTS.endorser} AS endorser
     FROM ${EVENT_TABLES.endorser}
     WHERE e.slug = ANY($1)`,
    [slugs],
  );
  return new Map(rows.map(({ endorser }) => [endorser.slug, endorser]));
}

/** The contests of these keys, by key, with their choices, without unknown and removed ones. */
export async function loadContests(client: ClientBase, keys: string[]): Promise<Map<string, BallotContest>> {
  const { rows } = await client.query<{
    key: string;
    contest: ChangeBody['contest'];
    election: ChangeBody['election'];
    choices: Record<string, ChangeBody['choice']>;
  }>(
    `SELECT c.key, ${EVENT_PARTS.contest} AS contest, ${EVENT_PARTS.election} AS election,
       COALESCE((
         SELECT json_object_agg(h.key, ${EVENT_PARTS.choice})
         FROM ${EVENT_TABLES.choice}
         WHERE h.contest_id = c.id AND h.removed_at IS NULL), '{}') AS choices
     FROM ${EVENT_TABLES.contest} JOIN elections l ON l.id = c.election_id
     WHERE c.key = ANY($1) AND c.removed_at IS NULL`,
    [keys],
  );
  return new Map(
    rows.map(({ key, contest, election, choices }) => [
      key,
      { contest, election, choices: new Map(Object.entries(choices)) },
    ]),
  );
}
