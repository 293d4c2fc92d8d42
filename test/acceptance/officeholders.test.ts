/**
 * The real people of an Open States sample, which SOURCES.md beside it describes. The expected counts come from a
 * separate reading here, line by line. The sample is not part of the project; without it, the tests are skipped.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CatalogueLine } from '../helpers/ballots/catalogue.ts';
import { contest, election } from '../helpers/ballots/catalogue-records.ts';
import { hasRealData, realPath, titleOnRealData } from '../helpers/ballots/real-data.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { readPages } from '../helpers/http/paging.ts';
import { expectSchema } from '../helpers/http/response-schema.ts';
import { useTestService } from '../helpers/service/service.ts';

const run = createRunner('officeholders');

const SAMPLE = realPath('openstates-people-sample');

/** On this day, four people of the sample are in office although all their roles have ended. */
const NOW = new Date('2026-11-21T12:00:00Z');
const TODAY = NOW.toISOString().slice(0, 10);

/** The states with one member of the U.S. House, who represents the whole state as its senators do. */
const AT_LARGE = ['ak', 'de', 'nd', 'sd', 'vt', 'wy'];
const CATALOGUE: CatalogueLine[] = AT_LARGE.flatMap((code): CatalogueLine[] => {
  const [slug, state, name] = [`${code}-2026-11-03-general`, code.toUpperCase(), `House ${code}`];
  const ocd_id = `ocd-division/country:us/state:${code}`;
  const district = { ocd_id, level: 'federal', type: 'congressional_district', state, name };
  return [
    ['elections', election({ slug, state })],
    ['contests', contest(`house-${code}`, { election: slug, district })],
  ];
});

interface Line {
  id: string;
  name: string;
  folder: string;
  roles: Record<string, string>[];
}

/** The id, name and roles of a file, read from its lines alone. */
function readLines(folder: string, file: string): Line {
  const line: Line = { id: '', name: '', folder, roles: [] };
  let inRoles = false;
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    const [, name = '', value = ''] = /^([a-z_]+): ?(.*)$/.exec(text) ?? [];
    if (name === 'id') line.id = value.replace('ocd-person/', '');
    if (name === 'name')
      line.name = value.startsWith('"') ? JSON.parse(value.replaceAll('\\x', '\\u00')) : value;
    if (name) inRoles = name === 'roles';
    const [, dash, field = '', given = ''] = /^(- | {2})([a-z_]+): (.*)$/.exec(text) ?? [];
    if (!inRoles || !field) continue;
    if (dash === '- ') line.roles.push({});
    const last = line.roles.at(-1);
    if (last) last[field] = given.replaceAll("'", '');
  }
  return line;
}

function readSample(): Line[] {
  const data = path.join(SAMPLE, 'data');
  return readdirSync(data, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[a-z]{2}\/[a-z]+\/[^/]+\.yml$/.test(name))
    .map((name) => readLines(name.split('/')[1] ?? '', path.join(data, name)));
}

/** The "state office" of a role, in the words of the specification. */
function officeOf({ type = '', jurisdiction = '', district = '' }: Record<string, string>): string | null {
  if (jurisdiction.includes('place:')) return null;
  const state = /:([a-z]{2})\/government$/.exec(jurisdiction)?.[1]?.toUpperCase() ?? 'US';
  if (state === 'US') return type === 'upper' ? 'us_senator' : `${district.slice(0, 2)} us_representative`;
  if (type === 'legislature') return `${state} ${state === 'DC' ? 'city_council' : 'state_legislator'}`;
  const offices: Record<string, string> = {
    upper: 'state_senator',
    lower: 'state_representative',
    lt_governor: 'lieutenant_governor',
  };
  return `${state} ${offices[type] ?? type.replaceAll(' ', '_')}`;
}

/** The people in office, as "id office", by a simple reading of decision 7. */
function expectedSeats(lines: Line[]): string[] {
  return lines.flatMap(({ id, folder, roles }) => {
    const open = roles.filter(
      (role) => (role.start_date ?? '') <= TODAY && (role.end_date ?? '9999') > TODAY,
    );
    const last = roles.toSorted((a, b) => ((a.end_date ?? '') < (b.end_date ?? '') ? 1 : -1)).slice(0, 1);
    const held = open.length > 0 || folder === 'municipalities' ? open : last;
    return [...new Set(held.map(officeOf).filter((office) => office !== null))].map(
      (office) => `${id} ${office}`,
    );
  });
}

interface Record_ {
  person_id: string;
  name: string;
  office: string;
  state: string;
  email: string | null;
  [field: string]: unknown;
}

(hasRealData ? describe : describe.skip)(titleOnRealData('the real people of a sample'), () => {
  let lines: Line[];
  let expected: string[];
  let printed: string[];

  const service = useTestService({ catalogue: CATALOGUE });
  beforeAll(async () => {
    lines = readSample();
    expected = expectedSeats(lines);
    printed = await load();
  });

  async function load(): Promise<string[]> {
    const io = createIo({ DATABASE_URL: service.databaseUrl }, { now: NOW });
    expect(await run(['import', SAMPLE], io)).toBe(0);
    expect(io.told).toEqual([]);
    return io.printed.map((line) => line.trim().replaceAll(/\s+/g, ' '));
  }

  test('are all read, and hold the seats of their files', async () => {
    expect([lines.length, expected.length]).toEqual([923, 824]);
    const records: Record_[] = await readPages(service, '/v1/officeholders', 500);
    const seats = records.map(({ person_id, office, state }) =>
      office === 'us_senator' ? `${person_id} us_senator` : `${person_id} ${state} ${office}`,
    );
    expect(seats.toSorted()).toEqual(expected.toSorted());
    const names = new Map(lines.map(({ id, name }) => [id, name]));
    expect(records.filter(({ person_id, name }) => names.get(person_id) !== name)).toEqual([]);
  });

  test('are counted, the others by reason', () => {
    expect(printed).toEqual([
      'added changed unchanged gone',
      `officeholders ${expected.length} 0 0 0`,
      `seats ${expected.length} 0 0 0`,
      '40 left out: mayor of a place within a state',
      '59 left out: no role in office today',
    ]);
  });

  test('loaded again, change nothing', async () => {
    expect((await load()).slice(1, 3)).toEqual([
      `officeholders 0 0 ${expected.length} 0`,
      `seats 0 0 ${expected.length} 0`,
    ]);
  });

  test.each([
    ['offices=us_senator', 100],
    ['offices=us_representative', 436],
    ['offices=state_legislator&states=NE', 49],
    ['offices=city_council&levels=city', 13],
    ['states=CA&levels=federal', 52],
    ['states=WY&offices=state_senator,state_representative', 93],
    ['offices=governor', 4],
    ['districts=ocd-division/country:us/state:ca&offices=us_senator', 2],
    ['districts=ocd-division/country:us/state:ca/sldl:37', 1],
    ['q=robert%20garcia', 2],
  ])('%s: %d of them', async (query, count) => {
    expect(await readPages(service, '/v1/officeholders', 100, `&${query}`)).toHaveLength(count);
  });

  test('whose terms ended on paper are in office, without an end', async () => {
    for (const [name, office] of [
      ['Gavin Newsom', 'governor'],
      ['Muriel Bowser', 'governor'],
      ['Gary Thompson', 'chief_election_officer'],
      ['Doni Crawford', 'city_council'],
    ]) {
      const { body } = await service.get(`/v1/officeholders?q=${name}`);
      expect(body.data).toMatchObject([{ name, office, term_end: null }]);
    }
  });

  test('hold seats whose district is of the same kind: no senator has the district of a House seat', async () => {
    const records: Record_[] = await readPages(service, '/v1/officeholders', 500);
    const senators = records.filter(({ office }) => office === 'us_senator');
    const atLarge = senators.filter(({ state }) => AT_LARGE.includes(state.toLowerCase()));
    expect([senators.length, atLarge.length]).toEqual([100, 12]);
    expect(senators.filter(({ district_id }) => district_id !== null)).toEqual([]);
    expect(records.every(({ office, offices }) => (offices as Record_[])[0]?.office === office)).toBe(true);
  });

  test('match the schema, each alone too; no e-mail address is a URL', async () => {
    const records: Record_[] = await readPages(service, '/v1/officeholders', 500);
    expectSchema('/v1/officeholders', { data: records, next_cursor: null });
    expect(records.filter(({ email }) => email?.includes('/'))).toEqual([]);
    for (const { person_id } of records.slice(0, 50)) {
      const { body } = await service.get(`/v1/officeholders/${person_id}`);
      expectSchema('/v1/officeholders/{id}', body);
    }
  });
});
