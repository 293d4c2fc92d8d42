import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { routes } from '../../gateway/routes/index.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { importOfficeholders } from '../../store/officeholders/import.ts';
import { type DataPart, loadDataVersions } from '../../store/reads/data-versions.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse, withdraw } from '../helpers/ballots/submissions.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';
import { recordQueries } from '../helpers/postgres/reads.ts';

const PERSON = {
  ...{ person_id: '00000000-0000-4000-8000-000000000001', name: 'Ann', given_name: null, family_name: null },
  ...{ party: null, party_abbreviation: null, phone: null, email: null, website_url: null, image_url: null },
  ...{ addresses: [], social: {}, source_urls: [], place: 'or' },
  seats: [
    {
      ...{
        rank: 1,
        office: 'governor',
        office_title: 'Governor',
        level: 'state',
        state: 'OR',
        district: 'OR',
      },
      ...{ district_ocd_id: 'ocd-division/country:us/state:or', term_start: null, term_end: null },
    },
  ],
};
const MAYOR = 'or-2026-11-03-general/mayor';

const database = useTestDatabase();
const { client } = database;
let pool: DatabasePool;

beforeAll(async () => {
  pool = await openReadPool(database.url);
});
afterAll(() => pool.end());

/** The part whose version changes when the table is written. */
const PARTS: [table: string, part: DataPart][] = [
  ['states', 'catalogue'],
  ['elections', 'catalogue'],
  ['endorser_categories', 'catalogue'],
  ['endorsers', 'catalogue'],
  ['districts', 'catalogue'],
  ['contests', 'catalogue'],
  ['candidates', 'catalogue'],
  ['choices', 'catalogue'],
  ['ballot_sizes', 'catalogue'],
  ['left_elections', 'catalogue'],
  ['officeholders', 'officeholders'],
  ['officeholder_seats', 'officeholders'],
  ['officeholder_load', 'officeholders'],
];

/**
 * Tables that are written with the head of the stream, which has the version of endorsements, and tables with
 * the places of changes in Kafka. An answer may have older places of the same sequence, because readers use
 * them only as hints.
 */
const OF_THE_STREAM = [
  'stream_head',
  'endorsements',
  'endorsing',
  'endorsement_activity',
  'relay_batches',
  'rebuilt_runs',
  'stream_generation',
];
const partOf = new Map<string, DataPart>([
  ...PARTS,
  ...OF_THE_STREAM.map((table): [string, DataPart] => [table, 'endorsements']),
]);

/** The parts whose versions differ after some work. */
async function partsChangedBy(work: () => Promise<unknown>): Promise<string[]> {
  const before = await loadDataVersions(pool);
  await work();
  const after = await loadDataVersions(pool);
  const fields = {
    endorsements: 'sequence',
    catalogue: 'catalogue',
    officeholders: 'officeholders',
  } as const;
  return Object.entries(fields)
    .filter(([, field]) => after[field] !== before[field])
    .map(([part]) => part);
}

describe('the version of', () => {
  test.each(PARTS)('%s is the version of the %s', async (table, part) => {
    expect(await partsChangedBy(() => client.query(`DELETE FROM ${table} WHERE false`))).toEqual([part]);
  });

  test('the catalogue changes with an import', async () => {
    expect(await partsChangedBy(() => loadCatalogue(database.url, SMALL_BALLOT))).toEqual(['catalogue']);
  });

  test('officeholders changes with a load', async () => {
    const load = { people: [PERSON], places: ['or'], leftIds: [], refusedIds: [] };
    const options = { now: new Date(), maxRemovals: null, dryRun: false };
    expect(await partsChangedBy(() => importOfficeholders(client, load, options))).toEqual(['officeholders']);
  });

  test('INV-1: endorsements changes with every change', async () => {
    const applying = new pg.Client({ connectionString: database.url });
    await applying.connect();
    const submissions = [
      endorse('nation-herald', 'mayor', 'ann'),
      endorse('nation-herald', 'mayor', 'ann', { statement: 'Good.' }),
      withdraw('nation-herald', 'mayor', 'ann'),
      endorse('nation-herald', 'mayor', 'bob'),
      endorse('nation-herald', 'council', 'bob'),
    ];
    for (const submission of submissions) {
      expect(await partsChangedBy(() => applySubmissions(applying, submission))).toEqual(['endorsements']);
    }
    await applying.end();
    const withoutMayor = SMALL_BALLOT.filter(([, record]) => !('key' in record && record.key === MAYOR));
    expect(await partsChangedBy(() => loadCatalogue(database.url, withoutMayor))).toEqual([
      'endorsements',
      'catalogue',
    ]);
  });

  test('INV-1: the catalogue does not change before the import is committed', async () => {
    await client.query('BEGIN');
    expect(await partsChangedBy(() => client.query('UPDATE endorsers SET name = name'))).toEqual([]);
    expect(await partsChangedBy(() => client.query('COMMIT'))).toEqual(['catalogue']);
  });
});

describe('INV-1: a cached answer reads only tables of the parts that it declares', () => {
  const keeping = routes.filter(({ shows }) => shows !== undefined).map(({ path }) => path);
  /** An existing id or slug for each route. */
  const EXAMPLES: Record<string, string> = {
    '/v1/endorsements/{id}': 'SELECT id FROM endorsements',
    '/v1/contests/{id}': 'SELECT id FROM contests',
    '/v1/endorsers/{slug}': 'SELECT slug AS id FROM endorsers',
    '/v1/officeholders/{id}': 'SELECT person_id AS id FROM officeholders',
  };

  test.each(keeping)('%s', async (route) => {
    const example = (await client.query<{ id: string }>(`${EXAMPLES[route] ?? 'SELECT 1 AS id'} LIMIT 1`))
      .rows[0];
    const path = route.replace(/\{\w+\}/, String(example?.id));
    const query = route === '/v1/recommendations' ? '?election=or-2026-11-03-general' : '';
    const { queries, shows } = await recordQueries(database.url, `${path}${query}`);
    const { rows } = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    // A query for the versions reads nothing that an answer shows.
    const shown = queries.filter((recorded) => !recorded.sql.includes('data_versions'));
    const sql = shown.map((recorded) => recorded.sql).join(';');
    const read = rows.map(({ name }) => name).filter((name) => new RegExp(`\\b${name}\\b`).test(sql));
    expect(read.length).toBeGreaterThan(0);
    for (const table of read)
      expect([table, shows]).toEqual([table, expect.arrayContaining([partOf.get(table)])]);
  });
});
