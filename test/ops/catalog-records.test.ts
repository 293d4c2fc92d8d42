import { describe, expect, test } from '@jest/globals';
import { type CatalogueKind, catalogueKey, parseCatalogueRecord } from '../../schemas/catalogue-files.ts';
import { category, choice, contest, election, endorser } from '../helpers/ballots/catalogue-records.ts';
import { problemsOf } from '../helpers/problems.ts';

const GOOD: [CatalogueKind, object][] = [
  ['endorser-categories', category({ slug: 'political_club' })],
  ['endorsers', endorser()],
  ['endorsers', endorser({ state: 'national', website_url: 'http://a.example', url: ' http://a.example ' })],
  ['elections', election()],
  ['elections', election({ date: '2024-02-29', primary_system: 'top_two', details: null, source: null })],
  ['contests', contest('mayor')],
  [
    'contests',
    contest('mayor', { choices: [], votes_allowed: null, details: { anything: [1, { goes: true }] } }),
  ],
  ['contests', contest('mayor', { title: 'é'.repeat(500), description: '😀'.repeat(20_000) })],
];

test.each(GOOD)('%s: a good record is accepted (%#)', (kind, record) => {
  expect(parseCatalogueRecord(kind, record)).toMatchObject({ ok: true });
});

const without = (record: Record<string, unknown>, field: string) => {
  const { [field]: _, ...rest } = record;
  return rest;
};
const INTEGER = 'must be a whole number from 1 to 2147483647';
const DATE = 'must be a real date as YYYY-MM-DD';
const STATE = 'must be the USPS code of a state or territory';
const URL_TITLE = 'must be an http or https address of at most 2,000 characters';

/** By kind: the fault, the record, and the problem. */
const BAD: Partial<Record<CatalogueKind, [string, object, string][]>> = {
  elections: [
    ['a date that no calendar has', election({ date: '2026-02-30' }), `date ${DATE}, is "2026-02-30"`],
    ['a time for a date', election({ date: '2026-11-03T00:00' }), `date ${DATE}, is "2026-11-03T00:00"`],
    ['the year zero', election({ date: '0000-01-01' }), `date ${DATE}, is "0000-01-01"`],
    ['an undated election', election({ date: null }), `date ${DATE}, is null`],
    [
      'an election without a type',
      election({ type: null }),
      'type must be one of general, primary, special, special_primary, runoff, consolidated, is null',
    ],
    ['an unknown state', election({ state: 'ZZ' }), `state ${STATE}, is "ZZ"`],
    ['a number for a text', election({ name: 7 }), 'name must be text of 1 to 500 characters, is 7'],
    ['a blank name', election({ name: ' ' }), 'name must be text of 1 to 500 characters, is ""'],
    [
      'an unknown field',
      election({ nmae: 'x' }),
      'nmae is not a known field; known are slug, name, name_es, short_name, short_name_es, date, state, type, primary_system, info_url, details, source',
    ],
    [
      'a voting rule of the wrong type',
      election({ details: { all_mail: 'x' } }),
      'details.all_mail must be true or false, is "x"',
    ],
  ],
  endorsers: [
    ['an endorser without a state', without(endorser(), 'state'), 'state is missing'],
    ['an endorser whose state is null', endorser({ state: null }), `state ${STATE}, or national, is null`],
    [
      'a mailto address',
      endorser({ url: 'mailto:a@b.example' }),
      `url ${URL_TITLE}, is "mailto:a@b.example"`,
    ],
    [
      'an address with a space',
      endorser({ logo_url: 'http://a b' }),
      `logo_url ${URL_TITLE}, is "http://a b"`,
    ],
    [
      'two addresses that differ',
      endorser({ url: 'http://a.example', website_url: 'http://b.example' }),
      'url must equal website_url, because it is another name for it',
    ],
  ],
  contests: [
    ['a contest without a district', contest('x', { district: null }), 'district must be an object, is null'],
    ['no seats', contest('x', { votes_allowed: 0 }), `votes_allowed ${INTEGER}, is 0`],
    ['half a seat', contest('x', { votes_allowed: 1.5 }), `votes_allowed ${INTEGER}, is 1.5`],
    [
      'a number beyond int4',
      contest('x', { ranks_allowed: 2 ** 31 }),
      `ranks_allowed ${INTEGER}, is 2147483648`,
    ],
    [
      'a title that is too long',
      contest('x', { title: 'é'.repeat(501) }),
      'title must be text of 1 to 500 characters, has 501',
    ],
    [
      'a text that is too long',
      contest('x', { description_es: 'x'.repeat(20_001) }),
      'description_es must be text of at most 20,000 characters, has 20,001',
    ],
    [
      'a key of another contest',
      contest('x', { key: 'or-2026-11-03-general/y' }),
      'key must be "or-2026-11-03-general/x", election/slug, is "or-2026-11-03-general/y"',
    ],
    [
      'a label that is not text',
      contest('x', { choices: [choice('a'), choice('b'), choice('c', { label: 3 })] }),
      'choices[2].label must be text of 1 to 500 characters, is 3',
    ],
    [
      'two choices of one key',
      contest('x', { choices: [choice('a'), choice('a')] }),
      'choices[1].key must be unique in the contest, is "a" as in choices[0]',
    ],
    [
      'one candidate of two names',
      contest('x', {
        choices: [
          choice('a', { candidate: { full_name: 'Ann', key: '7' } }),
          choice('b', { candidate: { full_name: 'Anne', key: '7' } }),
        ],
      }),
      'choices[1].candidate.full_name must be "Ann", as elsewhere for this candidate key, is "Anne"',
    ],
    [
      'a bad address in details',
      contest('x', { details: { source_url: 'x' } }),
      `details.source_url ${URL_TITLE}, is "x"`,
    ],
    [
      'a NUL character',
      contest('x', { details: { deep: [{ text: 'a\0b' }] } }),
      'details.deep[0].text holds a NUL character (\\u0000), which cannot be stored',
    ],
    [
      'half a surrogate pair',
      contest('x', { choices: [choice('a', { label: 'x\ud83d' })] }),
      'choices[0].label holds half of a surrogate pair, which is not a character',
    ],
  ],
};

describe('a record is refused, with its field and its value, for', () => {
  for (const kind of Object.keys(BAD) as CatalogueKind[]) {
    test.each(BAD[kind] ?? [])('%s', (_name, record, problem) => {
      expect(problemsOf(parseCatalogueRecord(kind, record))).toEqual([problem]);
    });
  }

  test('all its problems at once', () => {
    const record = election({ date: 'soon', state: 'or', extra: 1 });
    const parsed = parseCatalogueRecord('elections', record);
    expect(parsed.ok ? [] : parsed.problems.map(({ field }) => field).sort()).toEqual([
      'date',
      'extra',
      'state',
    ]);
  });

  test('the first twenty of its problems, if there are more', () => {
    const choices = Array.from({ length: 25 }, () => choice('ann', { label: 7 }));
    const parsed = parseCatalogueRecord('contests', contest('mayor', { choices }));
    expect(parsed.ok ? [] : parsed.problems).toHaveLength(20);
  });

  test('the number of its unknown fields, if they are many', () => {
    const extra = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`extra_${index}`, 1]));
    const parsed = parseCatalogueRecord('contests', contest('mayor', { choices: [choice('ann', extra)] }));
    expect(parsed).toMatchObject({ problems: [{ field: 'choices[0]' }] });
    expect(parsed.ok ? '' : parsed.problems[0]?.message).toMatch(
      /^has 25 unknown fields, the first extra_0; known are key, /,
    );
  });

  test('endless nesting', () => {
    const details = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as object;
    const parsed = parseCatalogueRecord('elections', election({ details }));
    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ message: 'is nested more than 64 levels deep' }],
    });
  });
});

test('URLs lose the spaces around them, and an endorser has one website', () => {
  expect(parseCatalogueRecord('endorsers', endorser({ url: ' https://a.example/x ' }))).toMatchObject({
    value: { website_url: 'https://a.example/x' },
  });
  expect(parseCatalogueRecord('elections', election({ info_url: ' https://a.example ' }))).toEqual({
    ok: true,
    value: election({ info_url: 'https://a.example' }),
  });
});

test('a contest needs no candidates, no details and no source', () => {
  const choices = ['yes', 'no'].map((key) => choice(key, { candidate: null }));
  const record = contest('x', { choices, details: null, source_url: null });
  expect(parseCatalogueRecord('contests', record)).toMatchObject({ ok: true, value: { source_url: null } });
});

test("a contest's source is its own, or else the one in its details", () => {
  const details = { source_url: ' https://details.example ', note: ' kept ' };
  const source_url = 'https://details.example';
  expect(parseCatalogueRecord('contests', contest('x', { details }))).toMatchObject({
    value: { source_url, details: { source_url, note: ' kept ' } },
  });
  expect(
    parseCatalogueRecord('contests', contest('x', { details, source_url: 'https://own.example' })),
  ).toMatchObject({ value: { source_url: 'https://own.example' } });
});

describe('the name of a record, also of one that is refused,', () => {
  test.each<[string, CatalogueKind, unknown, string | null]>([
    ['is its slug', 'endorsers', { slug: 'bakers', name: 7 }, 'bakers'],
    ['is the slug whatever its key', 'elections', { slug: 'or-2026', key: 'x' }, 'or-2026'],
    ['is the key of a contest', 'contests', { key: 'e/mayor', election: 'e', slug: 'mayor' }, 'e/mayor'],
    ['has one form', 'contests', { key: 'e/man\u0303ana ', election: 'e', slug: 'mañana\u200b' }, 'e/mañana'],
    ['is unknown if its key contradicts it', 'contests', { key: 'e/x', election: 'e', slug: 'mayor' }, null],
    ['is unknown if it has none', 'endorsers', { key: 'bakers' }, null],
    ['is unknown if it is not text', 'endorsers', { slug: 7 }, null],
    ['is unknown if it cannot be stored', 'endorsers', { slug: 'a\0' }, null],
    ['is unknown if the record is null', 'contests', null, null],
    ['is unknown if the record is a text', 'endorsers', 'bakers', null],
  ])('%s', (_, kind, json, name) => {
    expect(catalogueKey(kind, json)).toBe(name);
  });
});
