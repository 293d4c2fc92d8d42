import { z } from 'zod';
import type { Language } from '../schemas/vocabulary.ts';
import { NATIONAL } from '../schemas/vocabulary.ts';
import { type DatabasePool, sql } from './pool.ts';
import { offsetsAfter, type StoredStreamPosition } from './stream-position.ts';

/** Filters of a list of endorsements: fields combine with AND, values with OR; absent ones match everything. */
interface EndorsementFilters {
  categories?: readonly string[] | undefined;
  endorsers?: readonly string[] | undefined;
  endorser_states?: readonly string[] | undefined;
  states?: readonly string[] | undefined;
  elections?: readonly string[] | undefined;
  contest_kinds?: readonly string[] | undefined;
  levels?: readonly string[] | undefined;
  /** A contest id. */
  contest?: number | undefined;
  /** Only elections on or after this date, YYYY-MM-DD. */
  electionsFrom?: string | undefined;
}

export interface EndorsementQuery {
  filters: EndorsementFilters;
  lang: Language;
  /** The id after which the page begins; 0 for the first page. */
  afterId: number;
  limit: number;
}

export interface EndorsementPage {
  /** The records of the page, as the items of a JSON list. */
  items: string;
  /** The id of the last record; null on an empty page. */
  lastId: number | null;
  hasMore: boolean;
  /** The position of the stream that this page shows exactly: read in the same snapshot. */
  stream: StoredStreamPosition;
}

const pageRow = z.object({
  items: z.string(),
  last_id: z.number().nullable(),
  has_more: z.boolean(),
  epoch: z.number(),
  sequence: z.number(),
  offsets: z.array(z.number()),
});

const isOneOf = (column: ReturnType<typeof sql.fragment>, values: readonly string[]) =>
  sql.fragment`${column} = ANY(${sql.array([...values], 'text')})`;

function conditions({ contest, electionsFrom, ...filters }: EndorsementFilters) {
  const { categories, endorsers, endorser_states, states, elections, contest_kinds, levels } = filters;
  return [
    categories && isOneOf(sql.fragment`e.category`, categories),
    endorsers && isOneOf(sql.fragment`e.slug`, endorsers),
    endorser_states &&
      sql.fragment`(${isOneOf(sql.fragment`e.state`, endorser_states)}
        OR ${endorser_states.includes(NATIONAL)} AND e.state IS NULL)`,
    states && isOneOf(sql.fragment`l.state`, states),
    elections && isOneOf(sql.fragment`l.slug`, elections),
    contest_kinds && isOneOf(sql.fragment`c.kind`, contest_kinds),
    levels && isOneOf(sql.fragment`d.level`, levels),
    contest !== undefined && sql.fragment`n.contest_id = ${contest}`,
    electionsFrom !== undefined && sql.fragment`l.date >= ${electionsFrom}::date`,
  ].filter((condition) => condition !== undefined && condition !== false);
}

/** A text in the language asked for, English where there is none. */
function localized(table: string, column: string, lang: Language) {
  const english = sql.identifier([table, column]);
  if (lang === 'en') return sql.fragment`${english}`;
  return sql.fragment`COALESCE(${sql.identifier([table, `${column}_es`])}, ${english})`;
}

function record(lang: Language) {
  return sql.fragment`json_build_object(
    'id', n.id, 'rank', n.rank, 'statement', ${localized('n', 'statement', lang)},
    'source_url', n.source_url, 'published_on', n.published_on, 'updated_at', iso_utc(n.updated_at),
    'endorser', json_build_object(
      'id', e.id, 'slug', e.slug, 'name', e.name,
      'category', json_build_object('slug', k.slug, 'name', ${localized('k', 'name', lang)}),
      'state', COALESCE(e.state, ${NATIONAL})),
    'contest', json_build_object(
      'id', c.id, 'title', ${localized('c', 'title', lang)}, 'short_title', ${localized('c', 'short_title', lang)},
      'kind', c.kind,
      'district', json_build_object(
        'id', d.id, 'ocd_id', d.ocd_id, 'name', ${localized('d', 'name', lang)}, 'level', d.level, 'type', d.type,
        'state', d.state)),
    'election', json_build_object(
      'id', l.id, 'slug', l.slug, 'name', ${localized('l', 'name', lang)}, 'date', l.date, 'state', l.state,
      'type', l.type),
    'choice', json_build_object(
      'id', h.id, 'label', ${localized('h', 'label', lang)}, 'measure_answer', h.measure_answer,
      'candidate', CASE WHEN p.id IS NOT NULL THEN json_build_object('id', p.id, 'full_name', p.full_name) END,
      'party', h.party))`;
}

/**
 * A page of endorsements by id, with the stream position that it shows: one statement, hence one snapshot. Changes up
 * to that position are in the page, later ones are not, since the order of sequences is the order of commits (INV-2).
 */
export async function listEndorsements(
  pool: DatabasePool,
  { filters, lang, afterId, limit }: EndorsementQuery,
): Promise<EndorsementPage> {
  const where = sql.join([sql.fragment`n.id > ${afterId}`, ...conditions(filters)], sql.fragment` AND `);
  const row = await pool.one(sql.type(pageRow)`
    SELECT p.items, p.last_id, p.has_more, s.epoch, s.last_sequence AS sequence, ${offsetsAfter(sql.fragment`s.last_sequence`)} AS offsets
    FROM stream_head s, (
      SELECT COALESCE(string_agg(found.record::text, ',' ORDER BY id) FILTER (WHERE place <= ${limit}), '') AS items,
        max(id) FILTER (WHERE place <= ${limit}) AS last_id,
        count(*) > ${limit} AS has_more
      FROM (
        SELECT n.id, row_number() OVER (ORDER BY n.id) AS place, ${record(lang)} AS record
        FROM endorsements n
        JOIN endorsers e ON e.id = n.endorser_id JOIN endorser_categories k ON k.slug = e.category
        JOIN contests c ON c.id = n.contest_id JOIN districts d ON d.id = c.district_id
        JOIN elections l ON l.id = n.election_id
        JOIN choices h ON h.id = n.choice_id LEFT JOIN candidates p ON p.id = h.candidate_id
        WHERE ${where}
        ORDER BY n.id
        LIMIT ${limit + 1}) AS found) AS p`);
  const { items, last_id: lastId, has_more: hasMore, ...stream } = row;
  return { items, lastId, hasMore, stream };
}
