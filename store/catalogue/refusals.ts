import type { ClientBase } from 'pg';
import type { CatalogueKind } from '../../schemas/catalogue-files.ts';
import { STAYS } from './removal.ts';

/** The reason why a line of a catalogue file is refused. */
export interface LineRefusal {
  file: string;
  line: number;
  /** Null if the fault concerns the whole line. */
  field: string | null;
  message: string;
  /** The record's own name, if it has one. */
  name: string | null;
}

/** The number of refusals with the same file, field and reason. */
export interface RefusalCount {
  file: string;
  /** The field without the numbers of list items: `choices[].label`. */
  field: string | null;
  /** The part of the message that many lines share. */
  reason: string;
  count: number;
}

/** A field that names a record of another kind. */
interface Reference {
  kind: CatalogueKind;
  field: string;
  of: CatalogueKind;
  /** The rows that may already hold the record. */
  present: string;
}

/** Contests cannot name a removed election until it is imported again. */
const PRESENT_ELECTIONS = '(SELECT slug FROM elections WHERE removed_at IS NULL)';

const REFERENCES: Reference[] = [
  { kind: 'endorsers', field: 'category', of: 'endorser-categories', present: 'endorser_categories' },
  { kind: 'contests', field: 'election', of: 'elections', present: PRESENT_ELECTIONS },
];

/**
 * Refuses staged lines that repeat another line's key, name an unknown record, or have a district in another state than
 * the election.
 */
export async function refuseUnfit(client: ClientBase): Promise<void> {
  await client.query(`
    WITH numbered AS (
      SELECT ordinal, row_number() OVER same AS number,
        first_value(file) OVER same || ':' || first_value(line) OVER same AS first
      FROM staged
      WHERE NOT refused
      WINDOW same AS (PARTITION BY kind, key ORDER BY ordinal)
    )
    UPDATE staged
    SET refused = true,
      field = CASE kind WHEN 'contests' THEN 'key' ELSE 'slug' END,
      reason = 'must be unique',
      problem = 'must be unique, is ' || to_json(key) || ' as in ' || first
    FROM numbered
    WHERE numbered.ordinal = staged.ordinal AND number > 1`);
  for (const reference of REFERENCES) await refuseUnresolved(client, reference);
  await refuseForeignDistricts(client);
}

/**
 * Refuses elections that move to another state than the districts of contests that stay as they are, and then their
 * contests. To be called after all other checks, whose refusals make contests stay.
 *
 * @param options.keepMissing whether contests that the lines lack stay
 */
export async function refuseMovedElections(
  client: ClientBase,
  { keepMissing }: { keepMissing: boolean },
): Promise<void> {
  const { rowCount } = await client.query(
    `WITH staying AS (
      SELECT DISTINCT ON (staged.ordinal) staged.ordinal, staged.record ->> 'state' AS given, d.state, c.key
      FROM staged JOIN elections l ON l.slug = staged.key
        JOIN contests c ON c.election_id = l.id AND c.removed_at IS NULL
        JOIN districts d ON d.id = c.district_id
      WHERE staged.kind = 'elections' AND NOT staged.refused AND d.state <> staged.record ->> 'state' AND ${STAYS}
      ORDER BY staged.ordinal, c.key
    )
    UPDATE staged
    SET refused = true, field = 'state',
      reason = 'must be that of the districts of its contests',
      problem = 'must be that of the districts of its contests, such as ' || to_json(staying.state) || ' of '
        || to_json(staying.key) || ', is ' || to_json(staying.given) || '; import these contests with it'
    FROM staying
    WHERE staying.ordinal = staged.ordinal`,
    [keepMissing],
  );
  if (rowCount) for (const reference of REFERENCES) await refuseUnresolved(client, reference);
}

/** Refuses contests whose district is in another state than their election (contract, "Fields must agree"). */
async function refuseForeignDistricts(client: ClientBase): Promise<void> {
  await client.query(`
    WITH known AS (
      SELECT key AS slug, record ->> 'state' AS state FROM staged WHERE kind = 'elections' AND NOT refused
      UNION ALL
      SELECT slug, state FROM elections
      WHERE slug NOT IN (SELECT key FROM staged WHERE kind = 'elections' AND NOT refused)
    ), foreign_ones AS (
      SELECT staged.ordinal, known.state, staged.record -> 'district' ->> 'state' AS given
      FROM staged JOIN known ON known.slug = staged.record ->> 'election'
      WHERE staged.kind = 'contests' AND NOT staged.refused
        AND staged.record -> 'district' ->> 'state' <> known.state
    )
    UPDATE staged
    SET refused = true, field = 'district.state',
      reason = 'must be that of the election, or null for the nation',
      problem = 'must be ' || to_json(foreign_ones.state) || ', that of the election, or null for the nation, is '
        || to_json(foreign_ones.given)
    FROM foreign_ones
    WHERE foreign_ones.ordinal = staged.ordinal`);
}

/** The most records that a refusal names as known. */
const MAX_KNOWN = 20;

async function refuseUnresolved(client: ClientBase, { kind, field, of, present }: Reference): Promise<void> {
  await client.query(
    `WITH given AS (
      SELECT key, bool_and(refused) AS refused FROM staged WHERE kind = $2 AND key IS NOT NULL GROUP BY key
    ), known AS (
      SELECT key, refused FROM given
      UNION ALL
      SELECT slug, false FROM ${present} WHERE slug NOT IN (SELECT key FROM given)
    ), lost AS (
      SELECT staged.ordinal, staged.record ->> $3 AS wanted,
        CASE WHEN known.refused THEN ', whose own row was refused'
          ELSE ', which is neither in these files nor in the catalogue' END AS what
      FROM staged LEFT JOIN known ON known.key = staged.record ->> $3
      WHERE staged.kind = $1 AND NOT staged.refused AND known.refused IS DISTINCT FROM false
    ), known_list AS (
      SELECT '; known: ' || string_agg(key, ', ' ORDER BY key) AS list FROM known WHERE NOT refused
      HAVING count(*) BETWEEN 1 AND $4
    )
    UPDATE staged
    SET refused = true, field = $3, reason = 'names a record' || lost.what,
      problem = 'names ' || to_json(lost.wanted) || lost.what || COALESCE((SELECT list FROM known_list), '')
    FROM lost
    WHERE lost.ordinal = staged.ordinal`,
    [kind, of, field, MAX_KNOWN],
  );
}

/** The refusals that `refuseUnfit` made. */
export interface ListedRefusals {
  /** The first ones, in the order of the files. */
  refusals: LineRefusal[];
  refusalCount: number;
  refusalCounts: RefusalCount[];
}

/** Lists the first `limit` refusals that `refuseUnfit` made, and counts all. */
export async function listRefusals(client: ClientBase, limit: number): Promise<ListedRefusals> {
  const { rows: refusals } = await client.query<LineRefusal>(
    `SELECT file, line, field, problem AS message, key AS name
    FROM staged WHERE problem IS NOT NULL ORDER BY ordinal LIMIT $1`,
    [limit],
  );
  const { rows: refusalCounts } = await client.query<RefusalCount>(
    `SELECT file, field, reason, count(*)::integer AS count
    FROM staged WHERE problem IS NOT NULL GROUP BY file, field, reason ORDER BY min(ordinal)`,
  );
  const refusalCount = refusalCounts.reduce((sum, { count }) => sum + count, 0);
  return { refusals, refusalCount, refusalCounts };
}

/** The number of refused lines of each kind, for any reason. */
export async function countRefused(client: ClientBase): Promise<Partial<Record<CatalogueKind, number>>> {
  const { rows } = await client.query<{ kind: CatalogueKind; count: number }>(
    'SELECT kind, count(*)::integer AS count FROM staged WHERE refused GROUP BY kind',
  );
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}
