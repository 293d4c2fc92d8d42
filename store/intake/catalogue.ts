import type { ClientBase } from 'pg';
import type { ContestEntry, ElectionEntry } from '../../intake/matching/catalogue-index.ts';
import type { EndorserEntry } from '../../intake/matching/match-endorser.ts';

/** The elections of the catalogue, by date. @param limit the most to load */
export async function loadElections(client: ClientBase, limit: number): Promise<ElectionEntry[]> {
  const { rows } = await client.query<ElectionEntry>(
    `SELECT l.slug, l.name, l.short_name, to_char(l.date, 'YYYY-MM-DD') AS date, l.type, l.state, s.name AS state_name
    FROM elections l JOIN states s ON s.code = l.state
    WHERE l.removed_at IS NULL ORDER BY l.date, l.slug LIMIT $1`,
    [limit],
  );
  return rows;
}

/** The endorsers of the catalogue. @param limit the most to load */
export async function loadEndorsers(client: ClientBase, limit: number): Promise<EndorserEntry[]> {
  const { rows } = await client.query<EndorserEntry>(
    'SELECT slug, name FROM endorsers ORDER BY id LIMIT $1',
    [limit],
  );
  return rows;
}

/** The contests of an election with their choices, in the order of the ballot. */
export async function loadContests(client: ClientBase, election: string): Promise<ContestEntry[]> {
  const { rows } = await client.query<ContestEntry>(
    `SELECT c.key, c.title, c.short_title, c.kind, c.vote_method, c.measure_code,
      json_build_object('ocd_id', d.ocd_id, 'name', d.name) AS district,
      COALESCE((
        SELECT json_agg(json_build_object('key', h.key, 'label', h.label, 'measure_answer', h.measure_answer,
          'candidate', p.key, 'full_name', p.full_name, 'party', h.party, 'party_label', h.party_label,
          'withdrawn', h.withdrawn) ORDER BY h.ballot_order)
        FROM choices h LEFT JOIN candidates p ON p.id = h.candidate_id
        WHERE h.contest_id = c.id AND h.removed_at IS NULL
      ), '[]') AS choices
    FROM contests c JOIN elections l ON l.id = c.election_id JOIN districts d ON d.id = c.district_id
    WHERE l.slug = $1 AND c.removed_at IS NULL AND l.removed_at IS NULL
    ORDER BY c.tier, c.ballot_order, c.id`,
    [election],
  );
  return rows;
}
