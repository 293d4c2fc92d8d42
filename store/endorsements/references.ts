import type { ClientBase } from 'pg';
import type { BallotContest } from '../../domain/decide-batch.ts';
import type { ChangeBody } from '../../schemas/change.ts';

/*
 * The parts of an event's body as SQL, over the aliases `endorsers e`, `endorser_categories k`, `contests c`,
 * `districts d`, `elections l`, `choices h` and `candidates p`. Unlike the records of reads/, they have no language.
 */
const ENDORSER = `json_build_object(
  'id', e.id, 'slug', e.slug, 'name', e.name,
  'category', json_build_object('slug', k.slug, 'name', k.name),
  'state', COALESCE(e.state, 'national'))`;

const CONTEST = `json_build_object(
  'id', c.id, 'title', c.title, 'short_title', c.short_title, 'kind', c.kind, 'vote_method', c.vote_method,
  'votes_allowed', c.votes_allowed, 'ranks_allowed', c.ranks_allowed, 'measure_code', c.measure_code,
  'district', json_build_object(
    'id', d.id, 'name', d.name, 'level', d.level, 'ocd_id', d.ocd_id, 'state', d.state))`;

const ELECTION = `json_build_object(
  'id', l.id, 'slug', l.slug, 'name', l.name, 'date', l.date, 'state', l.state, 'type', l.type)`;

const CHOICE = `json_build_object(
  'id', h.id, 'label', h.label, 'measure_answer', h.measure_answer,
  'candidate', CASE WHEN p.id IS NOT NULL THEN json_build_object('id', p.id, 'full_name', p.full_name) END,
  'party', h.party, 'withdrawn', h.withdrawn)`;

/** The endorsers of these slugs, by slug; unknown slugs are left out. */
export async function loadEndorsers(
  client: ClientBase,
  slugs: string[],
): Promise<Map<string, ChangeBody['endorser']>> {
  const { rows } = await client.query<{ endorser: ChangeBody['endorser'] }>(
    `SELECT ${ENDORSER} AS endorser
     FROM endorsers e JOIN endorser_categories k ON k.slug = e.category
     WHERE e.slug = ANY($1)`,
    [slugs],
  );
  return new Map(rows.map(({ endorser }) => [endorser.slug, endorser]));
}

/** The contests of these keys, by key, with their choices; unknown and removed ones are left out. */
export async function loadContests(client: ClientBase, keys: string[]): Promise<Map<string, BallotContest>> {
  const { rows } = await client.query<{
    key: string;
    contest: ChangeBody['contest'];
    election: ChangeBody['election'];
    choices: Record<string, ChangeBody['choice']>;
  }>(
    `SELECT c.key, ${CONTEST} AS contest, ${ELECTION} AS election,
       COALESCE((
         SELECT json_object_agg(h.key, ${CHOICE})
         FROM choices h LEFT JOIN candidates p ON p.id = h.candidate_id
         WHERE h.contest_id = c.id AND h.removed_at IS NULL), '{}') AS choices
     FROM contests c JOIN districts d ON d.id = c.district_id JOIN elections l ON l.id = c.election_id
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

/** The event bodies of the endorsements of these choices, in the order of their ids. */
export async function loadBodiesOfChoices(client: ClientBase, choiceIds: number[]): Promise<ChangeBody[]> {
  const { rows } = await client.query<ChangeBody>(
    `SELECT json_build_object(
         'id', n.id, 'rank', n.rank, 'statement', n.statement, 'source_url', n.source_url,
         'published_on', n.published_on) AS endorsement,
       ${ENDORSER} AS endorser, ${CONTEST} AS contest, ${ELECTION} AS election, ${CHOICE} AS choice
     FROM endorsements n
     JOIN endorsers e ON e.id = n.endorser_id JOIN endorser_categories k ON k.slug = e.category
     JOIN contests c ON c.id = n.contest_id JOIN districts d ON d.id = c.district_id
     JOIN elections l ON l.id = n.election_id
     JOIN choices h ON h.id = n.choice_id LEFT JOIN candidates p ON p.id = h.candidate_id
     WHERE n.choice_id = ANY($1)
     ORDER BY n.id`,
    [choiceIds],
  );
  return rows;
}
