/** The changes that an import makes: their list, the keys and people, and the export of an election. */
import { describe, expect, test } from '@jest/globals';
import type { ContestRecord, ElectionRecord } from '../../schemas/catalogue-files.ts';
import { editCatalogue } from '../../store/catalogue/edit.ts';
import { exportElection } from '../../store/catalogue/export.ts';
import type { CatalogueImportOptions } from '../../store/catalogue/import.ts';
import { removeElection } from '../../store/catalogue/removal.ts';
import type { CatalogueLine } from '../helpers/ballots/catalogue.ts';
import { category, choice, contest, election, endorser } from '../helpers/ballots/catalogue-records.ts';
import { GENERAL, PRIMARY, useEndorsedCatalogue } from '../helpers/ballots/endorsed-catalogue.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();
const load = useEndorsedCatalogue(client);

async function texts(sql: string): Promise<string[]> {
  const { rows } = await client.query({ text: sql, rowMode: 'array' });
  return rows.map(([text]) => text).sort();
}
const present = () =>
  texts(`SELECT c.key || '#' || h.key FROM contests c JOIN choices h ON contest_id = c.id
    WHERE c.removed_at IS NULL AND h.removed_at IS NULL`);
const endorsed = () => texts('SELECT key FROM endorsements JOIN contests c ON c.id = contest_id');

test('an import of a part removes nothing of its elections, and adds what is new', async () => {
  const before = await present();
  const result = await load(
    [
      ['contests', contest('mayor', { choices: [choice('bob'), choice('cyd')] })],
      ['contests', contest('sheriff')],
    ],
    { keepMissing: true },
  );
  expect(result.counts.contests).toMatchObject({ added: 1, removed: 0 });
  expect(await present()).toEqual(
    [...before, `${GENERAL}/mayor#cyd`, `${GENERAL}/sheriff#ann`, `${GENERAL}/sheriff#bob`].sort(),
  );
  expect(await endorsed()).toHaveLength(3);
});

test('a part of a contest leaves its choices in their places, and new ones follow; the whole one has them in its own order', async () => {
  const order = async (...keys: string[]) => {
    await load([['contests', contest('mayor', { choices: keys.map((key) => choice(key)) })]], {
      keepMissing: true,
    });
    const { rows } = await client.query(
      `SELECT h.key FROM choices h JOIN contests c ON c.id = contest_id
       WHERE c.key = $1 AND h.removed_at IS NULL ORDER BY h.ballot_order, h.id`,
      [`${GENERAL}/mayor`],
    );
    return rows.map(({ key }) => key).join(' ');
  };
  expect(await order('bob')).toBe('ann bob');
  expect(await order('dee', 'cyd')).toBe('ann bob dee cyd');
  expect(await order('cyd', 'eve', 'bob')).toBe('ann bob dee cyd eve');
  expect(await order('eve', 'ann', 'cyd', 'bob', 'dee')).toBe('eve ann cyd bob dee');
  // One that returns has lost its place.
  await load([['contests', contest('mayor', { choices: [choice('ann'), choice('bob')] })]]);
  expect(await order('eve')).toBe('ann bob eve');
});

const remove = (slug: string) =>
  editCatalogue(client, async () => ({ result: await removeElection(client, slug), keep: true }), {
    dryRun: false,
  });

describe('the list of what an import changes', () => {
  const CHANGED: CatalogueLine[] = [
    ['contests', contest('mayor', { title: 'The mayor', choices: [choice('bob'), choice('cyd')] })],
    ['contests', contest('clerk')],
  ];
  const list = async (lines: CatalogueLine[], options: Partial<CatalogueImportOptions> = {}) =>
    (await load(lines, { dryRun: true, listChanges: true, ...options })).changes;

  test('names removed records first, then changed and added ones', async () => {
    const changes = await list(CHANGED);
    expect(changes?.first.map(({ change, kind, name }) => `${change} ${kind} ${name}`)).toEqual([
      'removed choices or-2026-11-03-general/mayor/ann',
      'removed contests or-2026-11-03-general/council',
      'changed choices or-2026-11-03-general/mayor/bob',
      'changed contests or-2026-11-03-general/mayor',
      ...['ann', 'bob'].map((name) => `added candidates or-2026-11-03-general/clerk/${name}`),
      'added candidates or-2026-11-03-general/mayor/cyd',
      ...['clerk/ann', 'clerk/bob', 'mayor/cyd'].map((name) => `added choices or-2026-11-03-general/${name}`),
      'added contests or-2026-11-03-general/clerk',
    ]);
    expect(changes?.first[3]).toMatchObject({ label: 'The mayor' });
    expect((await load(CHANGED, { dryRun: true })).changes).toBeNull();
  });

  test('names a choice that stays and means something else as changed', async () => {
    const none = choice('ann', { candidate: null, option: 'none_of_these' });
    const mayor = contest('mayor', { choices: [none, choice('bob')] });
    const changes = await list([['contests', mayor]], { keepMissing: true });
    expect(changes?.first).toMatchObject([{ change: 'changed', name: `${GENERAL}/mayor/ann` }]);
  });

  test('has a digest that is the same for the same changes, in whatever order the lines are', async () => {
    const digest = async (lines: CatalogueLine[]) => (await list(lines))?.digest;
    const first = await digest(CHANGED);
    expect(await digest(CHANGED.toReversed())).toBe(first);
    expect(await digest([...CHANGED, ['contests', contest('council')]])).not.toBe(first);
    expect(
      await digest([
        ['contests', contest('mayor')],
        ['contests', contest('council')],
      ]),
    ).toBe('0-0');
    // Of a record that was something else meanwhile, it is another one.
    const titled = (title: string): CatalogueLine[] => [['elections', election({ name: title })]];
    const second = await digest(titled('New'));
    await load(titled('Other'));
    expect(await digest(titled('New'))).not.toBe(second);
  });

  test('is what somebody can refuse before anything is loaded', async () => {
    const before = await present();
    const seen: unknown[] = [];
    const accept = async ({ changes }: { changes: unknown }) => {
      seen.push(changes);
      return false;
    };
    const refused = await load(CHANGED, { listChanges: true, accept });
    expect([refused.loaded, refused.announced, seen]).toEqual([
      ...[false, { created: 0, updated: 0, deleted: 0 }, [await list(CHANGED)]],
    ]);
    expect([await present(), (await endorsed()).length]).toEqual([before, 3]);
    // Nobody is asked about a dry run, nor about an import that takes away too much.
    expect((await load(CHANGED, { dryRun: true, accept })).loaded).toBe(true);
    expect((await load(CHANGED, { maxRemovals: 0, accept })).loaded).toBe(false);
    expect(seen).toHaveLength(1);
    expect((await load(CHANGED, { accept: async () => true })).loaded).toBe(true);
    expect(await present()).not.toEqual(before);
  });
});

describe('INV-16: a choice that keeps its key', () => {
  const named = (name: string, more: object = {}) =>
    choice('ann', { label: name, candidate: { full_name: name, ...more } });
  const rename = (ann: object, options: Partial<CatalogueImportOptions> = {}) =>
    load(
      [
        ['contests', contest('mayor', { choices: [ann, choice('bob')] })],
        ['contests', contest('council')],
      ],
      options,
    );

  test('is refused as another person, unless that is meant', async () => {
    const refused = await rename(named('Zoe Xu'));
    expect([refused.loaded, refused.refused]).toEqual([false, { contests: 1 }]);
    expect(JSON.stringify(refused)).toContain('use a new key');
    expect(await endorsed()).toHaveLength(3);
    const allowed = await rename(named('Zoe Xu'), { allowRenames: true });
    expect(allowed).toMatchObject({ loaded: true, announced: { created: 0, updated: 1, deleted: 0 } });
    expect(await endorsed()).toHaveLength(3);
  });

  test('may be the same person under a better name, or by the key of the candidate', async () => {
    expect(await rename(named('Ann'))).toMatchObject({ loaded: true });
    expect(await rename(named('Zoe Xu', { key: 'Ann' }))).toMatchObject({ loaded: true });
    expect(await endorsed()).toHaveLength(3);
    const { rows } = await client.query(
      `SELECT p.full_name FROM choices h JOIN candidates p ON p.id = h.candidate_id JOIN contests c ON c.id = h.contest_id
       WHERE h.key = 'ann' AND c.key = $1`,
      [`${GENERAL}/mayor`],
    );
    expect(rows).toEqual([{ full_name: 'Zoe Xu' }]);
  });
});

describe('the export of an election', () => {
  async function read(slug = GENERAL) {
    const elections: ElectionRecord[] = [];
    const contests: ContestRecord[] = [];
    const count = await exportElection(client, slug, {
      election: async (record) => void elections.push(record),
      contest: async (record) => void contests.push(record),
    });
    return { count, elections, contests };
  }

  test('has what is present in the order of ballots, and importing it changes nothing', async () => {
    const STATEWIDE = { name: 'Oregon', level: 'state', type: 'statewide', state: 'OR' };
    const line = (key: string, full_name: string, candidateKey?: string) =>
      choice(key, { candidate: { full_name, ...(candidateKey && { key: candidateKey }) } });
    const others = [
      line('ott-d', 'Ida Ott', 'ott'),
      line('ott-w', 'Ida Ott', 'ott'),
      line('lee-1', 'Bob Lee', 'Bob Lee'),
      line('lee-2', 'Bob Lee', 'lee-2'),
      line('fox', 'Eva Fox', 'fox-1'),
    ];
    const clerks = (...choices: object[]): CatalogueLine => [
      'contests',
      contest('clerk', { choices, title_es: 'Secretaría', details: { a: [1] }, district: STATEWIDE }),
    ];
    const former = ['ray', 'ray-w'].map((key) => line(key, 'Sol Ray', 'Sol Ray'));
    const mayors: CatalogueLine = [
      'contests',
      contest('mayor', { choices: [choice('bob', { withdrawn: true })] }),
    ];
    await load([mayors, clerks(...others, ...former)]);
    await load([mayors, clerks(line('ray', 'Sol Ray'), ...others)]);
    const { count, elections, contests } = await read();
    expect([count, elections.map(({ slug }) => slug), contests.map(({ slug }) => slug)]).toEqual([
      ...[2, [GENERAL], ['clerk', 'mayor']],
    ]);
    const clerk = contests.find(({ slug }) => slug === 'clerk');
    expect(clerk).toMatchObject({ key: `${GENERAL}/clerk`, title_es: 'Secretaría', details: { a: [1] } });
    expect(clerk?.choices.map(({ key, candidate }) => [key, candidate])).toEqual([
      ['ray', { full_name: 'Sol Ray' }],
      ['ott-d', { full_name: 'Ida Ott', key: 'ott' }],
      ['ott-w', { full_name: 'Ida Ott', key: 'ott' }],
      ['lee-1', { full_name: 'Bob Lee', key: 'Bob Lee' }],
      ['lee-2', { full_name: 'Bob Lee', key: 'lee-2' }],
      ['fox', { full_name: 'Eva Fox', key: 'fox-1' }],
    ]);
    const mayor = contests.find(({ slug }) => slug === 'mayor')?.choices;
    expect(mayor).toMatchObject([{ key: 'bob', withdrawn: true }]);
    // The candidate of this name in the primary is another one.
    expect(mayor?.[0]?.candidate).not.toHaveProperty('key');
    const again = await load(
      [
        ...elections.map((each) => ['elections', each]),
        ...contests.map((each) => ['contests', each]),
      ] as CatalogueLine[],
      { listChanges: true, dryRun: true },
    );
    expect([again.loaded, again.refused, again.changes]).toEqual([true, {}, { digest: '0-0', first: [] }]);
  });

  test('has the values of the last import, and none that it no longer gives', async () => {
    const texts = (text: string | null, ...fields: string[]) =>
      Object.fromEntries(fields.map((field) => [field, text]));
    const given = (text: string | null) => {
      const address = text && `https://a.example/${text}`;
      const kept = { details: text ? { text } : {}, source: text && { text } };
      return {
        category: category({ ...texts(text, 'name_es', 'singular_name', 'singular_name_es') }),
        endorser: endorser({
          ...{ ...texts(text, 'description', 'description_es'), ...kept },
          ...texts(address, 'website_url', 'logo_url'),
        }),
        election: election({
          ...{ ...texts(text, 'name_es', 'short_name', 'short_name_es'), ...kept },
          ...{ info_url: address, primary_system: text && (text === 'old' ? 'open' : 'closed') },
        }),
        contest: contest('mayor', {
          ...{
            ...texts(text, 'title_es', 'short_title_es', 'description', 'description_es', 'measure_code'),
          },
          ...{ ...kept, source_url: address, ballot_order: text?.length ?? 1 },
          district: { name: 'Fernville', name_es: text, level: 'city', type: 'place', state: 'OR' },
          choices: [
            choice('ann', {
              ...texts(text, 'label_es', 'party', 'party_label', 'party_label_es'),
              ...{ ...texts(text, 'ballot_designation', 'ballot_designation_es'), details: kept.details },
            }),
          ],
        }),
      };
    };
    const held = async () => {
      const { rows } = await client.query(
        'SELECT to_jsonb(k) AS category, to_jsonb(e) AS endorser FROM endorsers e JOIN endorser_categories k ON k.slug = category',
      );
      const { elections, contests } = await read();
      return { ...rows[0], election: elections[0], contest: contests[0] };
    };
    const importGiven = async (text: string | null) => {
      const { category, endorser, election, contest } = given(text);
      await load([
        ['endorser-categories', category],
        ['endorsers', endorser],
        ['elections', election],
        ['contests', contest],
      ]);
    };
    for (const text of ['old', 'newer']) {
      await importGiven(text);
      // The address is a column of another name, and values without any are left out.
      const expected = JSON.parse(JSON.stringify(given(text)), (key, value) =>
        value === null || key === 'url' ? undefined : value,
      );
      expect(await held()).toMatchObject(expected);
    }
    await importGiven(null);
    expect(JSON.stringify(await held())).not.toMatch(/newer|closed/);
  });

  test('has none of an election that does not exist, and ends if nobody takes it', async () => {
    expect(await read('or-1900')).toEqual({ count: null, elections: [], contests: [] });
    const broken = exportElection(client, GENERAL, {
      election: async () => {},
      contest: async () => {
        throw new Error('the disk is full');
      },
    });
    await expect(broken).rejects.toThrow('the disk is full');
    expect((await read(PRIMARY)).count).toBe(1);
    await remove(PRIMARY);
    expect((await read(PRIMARY)).count).toBe(null);
  });

  test('has all of many contests', async () => {
    const many = Array.from({ length: 401 }, (_, at): CatalogueLine[][number] => [
      'contests',
      contest(`c${at}`),
    ]);
    await load(many, { keepMissing: true });
    const { count, contests } = await read();
    expect([count, new Set(contests.map(({ key }) => key)).size]).toEqual([403, 403]);
  });
});

test('a removed election takes its contests and endorsements with it, once, and no others', async () => {
  expect(await remove('or-1900')).toMatchObject({ result: null });
  // A contest that went before does not count.
  const all: CatalogueLine[] = ['mayor', 'council', 'clerk'].map((slug) => ['contests', contest(slug)]);
  for (const lines of [all, all.slice(0, 2)]) await load(lines);
  expect(await remove(GENERAL)).toMatchObject({
    result: { contests: 2, choices: 0 },
    announced: { deleted: 2 },
  });
  expect(await remove(GENERAL)).toMatchObject({ result: null, announced: { deleted: 0 } });
  expect([await present(), await endorsed()]).toEqual([
    [`${PRIMARY}/mayor#ann`, `${PRIMARY}/mayor#bob`],
    [`${PRIMARY}/mayor`],
  ]);
});

test('what an import takes away is counted by election, beside what the election has', async () => {
  const part: CatalogueLine[] = [['contests', contest('mayor', { choices: [choice('bob')] })]];
  const { removals } = await load(part, { dryRun: true });
  expect(removals).toEqual([
    {
      from: GENERAL,
      records: [
        { kind: 'contests', removed: 1, of: 2 },
        { kind: 'choices', removed: 3, of: null },
        { kind: 'endorsements', removed: 2, of: 2 },
      ],
    },
  ]);
  expect(await endorsed()).toHaveLength(3);
  // Without those that went before.
  await load(part);
  const later: CatalogueLine[] = [
    ['elections', election({ slug: PRIMARY, date: '2027-05-18' })],
    ...[PRIMARY, GENERAL].map((slug): CatalogueLine => ['contests', contest('clerk', { election: slug })]),
  ];
  const next = await load(later, { dryRun: true });
  expect(next.removals.map(({ from, records }) => [from, records[0]])).toEqual([
    [GENERAL, { kind: 'contests', removed: 1, of: 2 }],
    [PRIMARY, { kind: 'contests', removed: 1, of: 2 }],
  ]);
});
