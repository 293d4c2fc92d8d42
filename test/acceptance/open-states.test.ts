/**
 * The whole Open States people repository, and the registry of division ids. The project includes neither: name a
 * checkout of github.com/openstates/people in OPEN_STATES_PEOPLE, and of github.com/opencivicdata/ocd-division-ids in
 * OCD_DIVISION_IDS. Without them, the tests are skipped.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createIo, createRunner, runToExit } from '../helpers/commands/command-io.ts';
import { createCheckout } from '../helpers/officeholders/people-checkout.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { OPEN_STATES_PEOPLE: PEOPLE = '', OCD_DIVISION_IDS: REGISTRY = '' } = process.env;

const titleWith = (variable: string, value: string, title: string) =>
  value === '' ? `${title} (skipped: ${variable} names no checkout)` : title;

const run = createRunner('officeholders');

/** The seats whose districts the registry lacks, with the reason. */
const UNREGISTERED = [
  // Of Maine's tribes, the registry has the Penobscot Nation and the Passamaquoddy Tribe.
  'ocd-division/country:us/state:me/sldl:houlton_band_of_maliseet_indians',
];

/** The files of people in office, by their paths. */
function personFiles(): string[] {
  return readdirSync(PEOPLE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^data\/[a-z]{2}\/(legislature|executive|municipalities)\/[^/]+\.ya?ml$/.test(name),
  );
}

/** Every id in the tables of the registry. Its compiled table is made from these. */
function registeredIds(): Set<string> {
  const folder = path.join(REGISTRY, 'identifiers', 'country-us');
  const tables = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.csv') && !name.includes('aliases'),
  );
  const ids = tables.flatMap((name) =>
    readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .map((line) => /^"?(ocd-division[^,"]*)/.exec(line)?.[1] ?? ''),
  );
  return new Set(ids);
}

const database = useTestDatabase();
const { client } = database;

async function importDir(dir: string): Promise<{ status: number; told: string[]; printed: string[] }> {
  const io = createIo({ DATABASE_URL: database.url });
  const status = await runToExit(run, ['import', dir], io);
  return {
    status,
    told: io.told,
    printed: io.printed.map((line) => line.trim().replaceAll(',', '').replaceAll(/\s+/g, ' ')),
  };
}

const select = async (sql: string): Promise<string[]> =>
  (await client.query<{ value: string }>(sql)).rows.map(({ value }) => value);

(PEOPLE === '' ? describe.skip : describe)(
  titleWith('OPEN_STATES_PEOPLE', PEOPLE, 'all people of Open States'),
  () => {
    let first: Awaited<ReturnType<typeof importDir>>;
    beforeAll(async () => {
      first = await importDir(PEOPLE);
    });

    test('are loaded in one go, or left out for a reason; no file is refused', async () => {
      expect([first.status, first.told]).toEqual([0, []]);
      const numbers = first.printed.flatMap((line) => /^([0-9]+) left out: /.exec(line)?.[1] ?? []);
      const [loaded = ''] = await select('SELECT count(*)::text AS value FROM officeholders');
      const total = [loaded, ...numbers].reduce((sum, number) => sum + Number(number), 0);
      expect(total).toBe(personFiles().length);
      expect(Number(loaded)).toBeGreaterThan(8000);
      expect(
        await select(
          'SELECT code AS value FROM states WHERE code NOT IN (SELECT state FROM officeholder_seats)',
        ),
      ).toEqual([]);
    });

    (REGISTRY === '' ? test.skip : test)(
      titleWith('OCD_DIVISION_IDS', REGISTRY, 'hold seats of registered divisions'),
      async () => {
        const registered = registeredIds();
        const ids = await select(
          'SELECT DISTINCT district_ocd_id AS value FROM officeholder_seats ORDER BY 1',
        );
        expect(ids.filter((id) => !registered.has(id))).toEqual(UNREGISTERED);
      },
    );

    test('have abbreviations for their parties', async () => {
      const unknown = 'SELECT DISTINCT party AS value FROM officeholders WHERE party_abbreviation IS NULL';
      expect(await select(`${unknown} AND party IS NOT NULL`)).toEqual([]);
    });

    test('stay as they are when they are imported again', async () => {
      const { status, printed } = await importDir(PEOPLE);
      expect([status, printed[1]]).toEqual([0, expect.stringMatching(/^officeholders 0 0 [0-9]+ 0$/)]);
    });

    test('are not replaced by a folder with one of them', async () => {
      const one = personFiles().find((name) => name.startsWith('data/tx/legislature/')) ?? '';
      const checkout = await createCheckout({
        [one.replace('data/', '')]: readFileSync(path.join(PEOPLE, one)),
      });
      const { status, told } = await importDir(checkout.dir);
      await checkout.remove();
      expect([status, told]).toEqual([
        1,
        [expect.stringMatching(/\n {2}TX: 1[0-9]{2} of [0-9]+ officeholders\n/)],
      ]);
    });
  },
);
