import type { ClientBase } from 'pg';
import type { ContestRecord, ElectionRecord } from '../../schemas/catalogue-files.ts';

/** The contests of a fetch: some hundred kilobytes. */
const FETCHED = 200;

/** Receives the records of an election, its own first. The next ones are fetched when it has taken them. */
export interface ExportSink {
  election(record: ElectionRecord): Promise<void>;
  contest(record: ContestRecord): Promise<void>;
}

const ELECTION = `
  SELECT jsonb_strip_nulls(to_jsonb(record)) || jsonb_build_object('details', l.details, 'source', l.source) AS record
  FROM elections l,
    LATERAL (SELECT l.slug, l.name, l.name_es, l.short_name, l.short_name_es, l.date, l.state, l.type, l.primary_system,
      l.info_url) AS record
  WHERE l.slug = $1 AND l.removed_at IS NULL`;

/** A candidate's key is written only if it is not the name, or if several choices have the name. */
const CONTESTS = `
  SELECT jsonb_strip_nulls(to_jsonb(record)) || jsonb_build_object('details', c.details, 'source', c.source,
    'district', jsonb_strip_nulls(jsonb_build_object('ocd_id', d.ocd_id, 'name', d.name, 'name_es', d.name_es,
      'level', d.level, 'type', d.type)) || jsonb_build_object('state', d.state),
    'choices', COALESCE(choices.list, '[]')) AS record
  FROM contests c JOIN elections l ON l.id = c.election_id JOIN districts d ON d.id = c.district_id,
    LATERAL (SELECT c.key, l.slug AS election, substr(c.key, length(l.slug) + 2) AS slug, c.title, c.title_es,
      c.short_title, c.short_title_es, c.description, c.description_es, c.kind, c.vote_method, c.votes_allowed,
      c.ranks_allowed, c.measure_code, c.ballot_order, c.source_url) AS record
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_strip_nulls(to_jsonb(fields)) || jsonb_build_object('details', h.details)
      || CASE WHEN p.id IS NULL THEN '{}' ELSE jsonb_build_object('candidate', jsonb_build_object('full_name', p.full_name)
        || CASE WHEN p.key = p.full_name AND lines.count = 1 THEN '{}' ELSE jsonb_build_object('key', p.key) END) END
      ORDER BY h.ballot_order) AS list
    FROM choices h LEFT JOIN candidates p ON p.id = h.candidate_id,
      LATERAL (SELECT h.key, h.label, h.label_es, h.measure_answer, h.party, h.party_label, h.party_label_es, h.option,
        NULLIF(h.withdrawn, false) AS withdrawn, h.ballot_designation, h.ballot_designation_es) AS fields,
      LATERAL (SELECT count(*) FROM choices o JOIN candidates q ON q.id = o.candidate_id
        WHERE o.contest_id = c.id AND o.removed_at IS NULL AND q.full_name = p.full_name) AS lines
    WHERE h.contest_id = c.id AND h.removed_at IS NULL
  ) AS choices ON true
  WHERE l.slug = $1 AND c.removed_at IS NULL
  ORDER BY c.tier, c.ballot_order, c.id`;

/**
 * Exports an election as the records of its files, in one snapshot. Importing them changes nothing.
 *
 * @param client a connection of the caller's own, outside of a transaction
 * @returns the number of contests; null if there is no such election
 * @throws the sink's error, after ending the transaction
 */
export async function exportElection(
  client: ClientBase,
  slug: string,
  sink: ExportSink,
): Promise<number | null> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const { rows } = await client.query<{ record: ElectionRecord }>(ELECTION, [slug]);
    const [election] = rows;
    if (!election) return null;
    await sink.election(election.record);
    return await exportContests(client, slug, sink);
  } finally {
    await client.query('ROLLBACK');
  }
}

async function exportContests(client: ClientBase, slug: string, sink: ExportSink): Promise<number> {
  await client.query(`DECLARE exported NO SCROLL CURSOR FOR ${CONTESTS}`, [slug]);
  for (let count = 0; ; ) {
    const { rows } = await client.query<{ record: ContestRecord }>(`FETCH ${FETCHED} FROM exported`);
    if (rows.length === 0) return count;
    for (const { record } of rows) await sink.contest(record);
    count += rows.length;
  }
}
