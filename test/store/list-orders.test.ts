import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { paging } from '../../schemas/http/parameters.ts';
import {
  describeListing,
  formatPageCursor,
  type PageState,
  parsePageCursor,
} from '../../schemas/page-cursor.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { loadBallots } from '../../store/reads/ballots.ts';
import { findContest, listContests } from '../../store/reads/contests.ts';
import { listEndorsers } from '../../store/reads/endorsers.ts';
import { listOfficeholders } from '../../store/reads/officeholders.ts';
import type { Page } from '../../store/reads/page.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';

const database = useTestDatabase();
const { client } = database;
let pool: DatabasePool;

beforeAll(async () => {
  pool = await openReadPool(database.url);
  await client.query(`INSERT INTO endorser_categories (slug, name) VALUES ('labor', 'Labor')`);
  await client.query('INSERT INTO officeholder_load (loaded_at) VALUES (now())');
});
afterAll(() => pool.end());

interface Named {
  id?: number;
  person_id?: string;
  name: string;
}
type LoadPage = (after: PageState | null, limit: number) => Promise<Page | null>;

/** Reads a list in pages of this size. */
async function readAll<Listed>(load: LoadPage, limit: number): Promise<Listed[]> {
  const records: Listed[] = [];
  for (let after: PageState | null = null; ; ) {
    const page = await load(after, limit);
    if (page === null) throw new Error('The list is not available.');
    records.push(...JSON.parse(`[${page.items}]`));
    if (!page.hasMore) return records;
    after = page.last;
  }
}

const loadEndorsers: LoadPage = (after, limit) =>
  listEndorsers(pool, { filters: {}, lang: 'en', after, limit });
const loadOfficeholders: LoadPage = (after, limit) => listOfficeholders(pool, { filters: {}, after, limit });

async function storeEndorsers(names: readonly string[]): Promise<void> {
  await client.query('TRUNCATE endorsers RESTART IDENTITY CASCADE');
  await client.query(
    `INSERT INTO endorsers (slug, name, category)
    SELECT 'e-' || place, name, 'labor' FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place)`,
    [names],
  );
}

async function storeOfficeholders(names: readonly string[]): Promise<void> {
  await client.query('TRUNCATE officeholders CASCADE');
  await client.query(
    `WITH people AS (
      INSERT INTO officeholders (person_id, name, offices, social, source_urls, place, updated_at)
      SELECT lpad(to_hex(place), 32, '0')::uuid, name, '[]', '{}', '[]', 'or', now()
      FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place) RETURNING person_id)
    INSERT INTO officeholder_seats (person_id, rank, office, office_title, level, state, district, district_ocd_id)
    SELECT person_id, 1, 'governor', 'Governor', 'state', 'OR', 'Oregon', 'ocd-division/country:us/state:or' FROM people`,
    [names],
  );
}

const LISTS = [
  ['endorsers', storeEndorsers, loadEndorsers],
  ['officeholders', storeOfficeholders, loadOfficeholders],
] as const;

describe.each(LISTS)('%s', (_, store, load) => {
  test('are where a reader looks for them, ignoring case, accents and the style of punctuation', async () => {
    const names = [
      '“Aardvark” Society',
      '(All) Voters',
      '100 Voices',
      'Ángel Álvarez',
      'angel baker',
      'ʻĀnuenue Club',
      'CALIFORNIA TEACHERS',
      'California Voters',
      'CHICO NEWS',
      'Đặng Văn',
      'dena Ruiz',
      'LA',
      'ŁĄCZ',
      'Lad',
      "O'Brien",
      'O’Casey',
      "O'Dell",
      'Oakley',
      'Øberg',
      'ODETTE',
      'The Gazette',
      'Zoe',
      'Zoë',
      '日本',
    ];
    await store(names.toReversed());
    const listed = (await readAll<Named>(load, 5)).map(({ name }) => name);
    // Readers see Zoe and Zoë as the same name, so their ids decide.
    expect(listed).toEqual(names.with(21, 'Zoë').with(22, 'Zoe'));
  });

  test('are on exactly one page each, by name and then id, at every page size', async () => {
    // An independent order: the Unicode collation algorithm, comparing only the letters.
    const { compare } = new Intl.Collator('en', { sensitivity: 'base' });
    const letter = fc.constantFrom(...'aAáÁàäbBcCçÇnNñÑoöÖzZ19 ');
    const name = fc.string({ unit: letter, minLength: 1, maxLength: 4 }).map((text) => `x${text}x`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(name, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (names, limit) => {
          await store(names);
          const listed = await readAll<Named>(load, limit);
          const expected = names
            .map((text, place) => ({ name: text, place: place + 1 }))
            .sort((a, b) => compare(a.name, b.name) || a.place - b.place);
          expect(
            listed.map(({ name, id, person_id }) => [
              name,
              id ?? Number.parseInt(String(person_id).replaceAll('-', ''), 16),
            ]),
          ).toEqual(expected.map(({ name, place }) => [name, place]));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('with the longest names are indexed, and the next page accepts their cursor', async () => {
    // Unicode decomposes a musical note into three characters, and does not compose them again.
    const names = ['각', '𝔸', 'é', '\u0001', '"', '\u{1D160}'].flatMap((letter) => [
      `${letter.repeat(499)}a`,
      `${letter.repeat(499)}b`,
    ]);
    await store(names);
    const listing = describeListing('endorsers', {});
    const { maxLength } = paging.cursor as { maxLength?: number };
    const loadWithCursor: LoadPage = async (after, limit) => {
      const cursor = formatPageCursor(listing, after ?? []);
      expect(cursor.length).toBeLessThanOrEqual(maxLength ?? 0);
      return load(after && parsePageCursor(listing, cursor), limit);
    };
    const listed = await readAll<Named>(loadWithCursor, 1);
    expect(listed.map(({ name }) => name).sort()).toEqual(names.sort());
  });
});

test('positions in a contest and the picks of recommendations are by the name of the endorser', async () => {
  await storeEndorsers(['Zed', 'CHICO', 'Ángel', 'California']);
  await client.query(`
    INSERT INTO elections (slug, name, date, state, type) VALUES ('or', 'Oregon', '2026-11-03', 'OR', 'general');
    INSERT INTO districts (name, level, type) VALUES ('Oregon', 'state', 'statewide');
    INSERT INTO contests (key, election_id, district_id, title, short_title, kind, vote_method, ballot_order)
      SELECT 'or/a', l.id, d.id, 'A', 'A', 'candidate', 'plurality', 1 FROM elections l, districts d;
    INSERT INTO choices (contest_id, key, label, ballot_order) SELECT id, 'a', 'A', 1 FROM contests;
    INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, updated_at)
      SELECT e.id, c.id, h.id, c.election_id, now() FROM endorsers e, contests c, choices h`);
  const { rows } = await client.query('SELECT id FROM contests');
  const contest = JSON.parse(
    (await findContest(pool, { id: rows[0].id, filters: {}, lang: 'en' })) ?? 'null',
  );
  const expected = ['Ángel', 'California', 'CHICO', 'Zed'];
  expect(contest.endorsements.map(({ endorser }: { endorser: Named }) => endorser.name)).toEqual(expected);

  const { picks, endorsers } = await loadBallots(pool, { contests: [rows[0].id] }, 'en');
  const nameOf = new Map(endorsers.map(({ id, record }) => [id, JSON.parse(record).name]));
  const names = picks.flatMap(({ facts }) => facts.map(([endorser]) => nameOf.get(endorser)));
  expect(names).toEqual(expected);
});

describe('contests', () => {
  const LEVELS = ['federal', 'state', 'county', 'city', 'school', 'special'];
  const election = fc.record({
    date: fc.constantFrom('2026-11-03', '2026-06-02'),
    state: fc.constantFrom('OR', 'CA'),
  });
  const contest = fc.record({
    election: fc.nat(2),
    level: fc.constantFrom(...LEVELS),
    ballot_order: fc.integer({ min: 1, max: 3 }),
    removed: fc.boolean(),
  });
  const ballot = fc.record({
    elections: fc.array(election, { minLength: 3, maxLength: 3 }),
    contests: fc.array(contest, { maxLength: 14 }),
    limit: fc.integer({ min: 1, max: 5 }),
  });

  beforeAll(async () => {
    await client.query('TRUNCATE elections, districts RESTART IDENTITY CASCADE');
    await client.query(
      `INSERT INTO districts (name, level, type) SELECT level, level, 'place' FROM unnest($1::text[]) AS level`,
      [LEVELS],
    );
  });

  test.each([
    ['all', {}, () => true],
    ['those of two elections', { elections: ['e-0', 'e-2'] }, (e: Election) => e.slug !== 'e-1'],
    ['those of a state', { states: ['CA'] }, (e: Election) => e.state === 'CA'],
    ['upcoming ones', { electionsFrom: '2026-08-01' }, (e: Election) => e.date > '2026-08-01'],
  ])(
    '%s are on one page each, by election, level and ballot order, at every page size',
    async (_, filters, isChosen) => {
      await fc.assert(
        fc.asyncProperty(ballot, async ({ elections, contests, limit }) => {
          await storeBallot(elections, contests);
          const listed = await readAll<{ id: number }>(
            (after, size) => listContests(pool, { filters, lang: 'en', after, limit: size }),
            limit,
          );
          const expected = contests
            .map((each, place) => ({ ...each, id: place + 1, of: nameElection(elections, each.election) }))
            .filter(({ removed, of }) => !removed && isChosen(of))
            .sort(
              (a, b) =>
                compareText(`${a.of.date} ${a.of.slug}`, `${b.of.date} ${b.of.slug}`) ||
                tierOf(a.level) - tierOf(b.level) ||
                a.ballot_order - b.ballot_order ||
                a.id - b.id,
            );
          const ids = expected.map(({ id }) => id);
          expect(listed.map(({ id }) => id)).toEqual(ids);
          const chosen = contests.flatMap((each, place) =>
            isChosen(nameElection(elections, each.election)) ? [place + 1] : [],
          );
          const loaded = await loadBallots(pool, { contests: chosen }, 'en');
          expect(loaded.contests.map(({ id }) => id)).toEqual(ids);
          expect(loaded.elections.map(({ slug }) => slug)).toEqual([
            ...new Set(expected.map(({ of }) => of.slug)),
          ]);
        }),
        { numRuns: 40 },
      );
    },
  );

  interface Election {
    slug: string;
    date: string;
    state: string;
  }
  type StoredElection = Omit<Election, 'slug'>;
  interface StoredContest {
    election: number;
    level: string;
    ballot_order: number;
    removed: boolean;
  }

  const tierOf = (level: string) => Math.min(LEVELS.indexOf(level), 2);
  const compareText = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  const nameElection = (elections: readonly StoredElection[], place: number): Election => ({
    slug: `e-${place}`,
    date: '',
    state: '',
    ...elections[place],
  });

  async function storeBallot(elections: readonly StoredElection[], contests: readonly StoredContest[]) {
    const numbered = (records: readonly object[]) => [
      JSON.stringify(records.map((record, place) => ({ ...record, place }))),
    ];
    await client.query('TRUNCATE elections RESTART IDENTITY CASCADE');
    await client.query(
      `INSERT INTO elections (slug, name, date, state, type)
      SELECT 'e-' || place, 'E', '1999-01-01', state, 'general'
      FROM jsonb_to_recordset($1) AS given (state text, place integer)`,
      numbered(elections),
    );
    await client.query(
      `INSERT INTO contests
        (key, election_id, district_id, title, short_title, kind, vote_method, ballot_order, removed_at)
      SELECT 'c/' || place, l.id, d.id, 'C', 'C', 'candidate', 'plurality', ballot_order,
        CASE WHEN removed THEN now() END
      FROM jsonb_to_recordset($1)
          AS given (election integer, level text, ballot_order integer, removed boolean, place integer)
        JOIN elections l ON l.slug = 'e-' || election JOIN districts d USING (level)
      ORDER BY place`,
      numbered(contests),
    );
    // Elections get their dates last, so that the contests' dates must follow.
    await client.query(
      `UPDATE elections SET date = given.date FROM jsonb_to_recordset($1) AS given (date date, place integer)
      WHERE slug = 'e-' || place`,
      numbered(elections),
    );
  }
});
