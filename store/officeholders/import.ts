import type { ClientBase } from 'pg';
import { needsConsent, type Removal } from '../../domain/removal-guard.ts';
import { ADVISORY_LOCKS } from '../connection/advisory-locks.ts';

/** An officeholder to store. */
export interface StagedOfficeholder {
  person_id: string;
  name: string;
  given_name: string | null;
  family_name: string | null;
  party: string | null;
  party_abbreviation: string | null;
  phone: string | null;
  email: string | null;
  website_url: string | null;
  image_url: string | null;
  addresses: object[];
  social: object;
  source_urls: string[];
  /** The state's folder in the source. */
  place: string;
  /** At least one, the highest first. */
  seats: object[];
}

/** The people of a load, and the people that it leaves unchanged. */
export interface OfficeholderLoad {
  people: readonly StagedOfficeholder[];
  /** The whole folders of the load: stored people of these folders who are not in `people` have left office. */
  places: readonly string[];
  /** People whose files show that they have left office. */
  leftIds: readonly string[];
  /** People whose files were refused. They stay as they are. */
  refusedIds: readonly string[];
}

export interface OfficeholderImportOptions {
  now: Date;
  /** The most officeholders that the import may take away; null for few (contract). */
  maxRemovals: number | null;
  /** Does everything, reports the result, and rolls back. */
  dryRun: boolean;
}

/** How many rows a load added, changed, left unchanged and deleted. */
interface LoadCounts {
  added: number;
  changed: number;
  unchanged: number;
  gone: number;
}

export interface OfficeholderImport {
  counts: { people: LoadCounts; seats: LoadCounts };
  /** The officeholders that the import would take away, by state, if that needs consent; then it loads nothing. */
  removalsRefused: Removal[] | null;
}

const PERSON = [
  ...['name', 'given_name', 'family_name', 'party', 'party_abbreviation', 'phone', 'email', 'website_url'],
  ...['image_url', 'offices', 'social', 'source_urls', 'place'],
];
const SEAT_KEY = ['person_id', 'office', 'state', 'district'];
const SEAT_VALUES = ['rank', 'office_title', 'level', 'district_ocd_id', 'term_start', 'term_end'];
const SEAT = [...SEAT_KEY, ...SEAT_VALUES];

const of = (alias: string, columns: string[]) => columns.map((column) => `${alias}.${column}`).join(', ');
const SAME_SEAT = SEAT_KEY.map((column) => `t.${column} = s.${column}`).join(' AND ');
const DIFFERENT_SEAT = `ROW(${of('t', SEAT_VALUES)}) IS DISTINCT FROM ROW(${of('s', SEAT_VALUES)})`;

async function stage(client: ClientBase, people: readonly StagedOfficeholder[], now: Date): Promise<void> {
  await client.query(`
    CREATE TEMPORARY TABLE staged_people (LIKE officeholders) ON COMMIT DROP;
    CREATE TEMPORARY TABLE staged_seats (LIKE officeholder_seats) ON COMMIT DROP`);
  // The source calls the column's content addresses.
  const json = JSON.stringify(people.map(({ addresses, ...person }) => ({ ...person, offices: addresses })));
  const columns = ['person_id', ...PERSON].join(', ');
  await client.query(
    `INSERT INTO staged_people (${columns}, updated_at)
    SELECT ${columns}, $2 FROM jsonb_populate_recordset(NULL::staged_people, $1)`,
    [json, now],
  );
  await client.query(
    `INSERT INTO staged_seats (${SEAT.join(', ')})
    SELECT (person ->> 'person_id')::uuid, ${of('s', SEAT.slice(1, 4))}, place, ${of('s', SEAT_VALUES.slice(1))}
    FROM jsonb_array_elements($1::jsonb) AS person,
      jsonb_array_elements(person -> 'seats') WITH ORDINALITY AS seat (value, place),
      jsonb_populate_record(NULL::staged_seats, seat.value) AS s`,
    [json],
  );
  await client.query('ANALYZE staged_people, staged_seats');
}

/** Deletes people who have left office, with their seats. */
async function removeGone(
  client: ClientBase,
  { places, leftIds, refusedIds }: OfficeholderLoad,
): Promise<{ people: number; seats: number; byState: Removal[] }> {
  const { rows } = await client.query<{ person_id: string }>(
    `SELECT person_id FROM officeholders
    WHERE (place = ANY($1) OR person_id = ANY($2::uuid[])) AND person_id <> ALL($3::uuid[])
      AND person_id NOT IN (SELECT person_id FROM staged_people)`,
    [places, leftIds, refusedIds],
  );
  const ids = rows.map(({ person_id }) => person_id);
  const byState = await countByState(client, ids);
  const seats = await client.query('DELETE FROM officeholder_seats WHERE person_id = ANY($1::uuid[])', [ids]);
  await client.query('DELETE FROM officeholders WHERE person_id = ANY($1::uuid[])', [ids]);
  return { people: ids.length, seats: seats.rowCount ?? 0, byState };
}

/**
 * How many of each state's officeholders these people are. Members of Congress count for the state that they
 * represent, since the nation is so large that a state's whole delegation would be a small part of it.
 */
async function countByState(client: ClientBase, ids: readonly string[]): Promise<Removal[]> {
  const { rows } = await client.query<{ state: string; removed: number; of: number }>(
    `SELECT state, count(*) FILTER (WHERE person_id = ANY($1::uuid[]))::integer AS removed,
      count(*)::integer AS of
    FROM officeholder_seats WHERE rank = 1
    GROUP BY state HAVING bool_or(person_id = ANY($1::uuid[])) ORDER BY state`,
    [ids],
  );
  return rows.map(({ state, ...counts }) => ({
    from: state,
    records: [{ kind: 'officeholders', ...counts }],
  }));
}

/** Compares the staged people and their seats with the stored ones. */
async function compare(client: ClientBase): Promise<{ people: LoadCounts; seats: LoadCounts }> {
  await client.query(`
    CREATE TEMPORARY TABLE compared_seats ON COMMIT DROP AS
    SELECT COALESCE(s.person_id, t.person_id) AS person_id,
      CASE WHEN t.person_id IS NULL THEN 'added' WHEN s.person_id IS NULL THEN 'gone'
        WHEN ${DIFFERENT_SEAT} THEN 'changed' ELSE 'unchanged' END AS outcome
    FROM staged_seats s
    FULL JOIN (SELECT * FROM officeholder_seats JOIN staged_people p USING (person_id)) t ON ${SAME_SEAT};
    CREATE TEMPORARY TABLE compared_people ON COMMIT DROP AS
    SELECT s.person_id,
      CASE WHEN t.person_id IS NULL THEN 'added'
        WHEN ROW(${of('t', PERSON)}) IS DISTINCT FROM ROW(${of('s', PERSON)})
          OR s.person_id IN (SELECT person_id FROM compared_seats WHERE outcome <> 'unchanged') THEN 'changed'
        ELSE 'unchanged' END AS outcome
    FROM staged_people s LEFT JOIN officeholders t USING (person_id)`);
  return {
    people: await countOutcomes(client, 'compared_people'),
    seats: await countOutcomes(client, 'compared_seats'),
  };
}

async function countOutcomes(client: ClientBase, table: string): Promise<LoadCounts> {
  const { rows } = await client.query<{ outcome: keyof LoadCounts; count: number }>(
    `SELECT outcome, count(*)::integer AS count FROM ${table} GROUP BY outcome`,
  );
  const counts = Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
  return { added: 0, changed: 0, unchanged: 0, gone: 0, ...counts };
}

/** Writes only the new and the changed people. */
async function write(client: ClientBase): Promise<void> {
  const columns = ['person_id', ...PERSON, 'updated_at'];
  await client.query(`
    DELETE FROM compared_people WHERE outcome = 'unchanged';
    DELETE FROM officeholder_seats WHERE person_id IN (SELECT person_id FROM compared_people);
    INSERT INTO officeholders (${columns.join(', ')})
    SELECT ${columns.join(', ')} FROM staged_people JOIN compared_people USING (person_id)
    ON CONFLICT (person_id) DO UPDATE SET
      ${columns
        .slice(1)
        .map((column) => `${column} = EXCLUDED.${column}`)
        .join(', ')};
    INSERT INTO officeholder_seats (${SEAT.join(', ')})
    SELECT ${SEAT.join(', ')} FROM staged_seats JOIN compared_people USING (person_id)`);
}

/**
 * Replaces the stored officeholders by those of a load, in one transaction. `updated_at` moves for people
 * with changes of their own or of their seats; other rows are not written. A load that takes away too many
 * changes nothing.
 *
 * @param client a connection of the caller's own, outside of a transaction.
 * @throws database errors, after rolling back.
 */
export async function importOfficeholders(
  client: ClientBase,
  load: OfficeholderLoad,
  { now, maxRemovals, dryRun }: OfficeholderImportOptions,
): Promise<OfficeholderImport> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.officeholderImport]);
    await stage(client, load.people, now);
    const gone = await removeGone(client, load);
    const { people, seats } = await compare(client);
    const removalsRefused = needsConsent(gone.byState, maxRemovals) ? gone.byState : null;
    const kept = removalsRefused === null && !dryRun;
    if (kept) {
      await write(client);
      await client.query(
        `INSERT INTO officeholder_load (loaded_at) VALUES ($1)
        ON CONFLICT (singleton) DO UPDATE SET loaded_at = EXCLUDED.loaded_at`,
        [now],
      );
    }
    await client.query(kept ? 'COMMIT' : 'ROLLBACK');
    if (kept) await client.query('ANALYZE officeholders, officeholder_seats');
    const counts = {
      people: { ...people, gone: gone.people },
      seats: { ...seats, gone: seats.gone + gone.seats },
    };
    return { counts, removalsRefused };
  } catch (error) {
    // If the connection is lost, this fails and the server rolls back.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
