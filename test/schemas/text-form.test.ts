import { expect, test } from '@jest/globals';
import { type CatalogueKind, parseCatalogueRecord } from '../../schemas/catalogue-files.ts';
import { parseSubmission } from '../../schemas/submission-files.ts';
import { category, choice, contest, election, endorser } from '../helpers/ballots/catalogue-records.ts';

const spanish = (name: string) => ({ [name]: name, [`${name}_es`]: `${name} en español` });
const ADDRESS = 'https://a.example/x';

/** Records with every text that they can have. */
const RECORDS: [CatalogueKind | 'endorsements', Record<string, unknown>][] = [
  ['endorser-categories', category({ ...spanish('name'), ...spanish('singular_name') })],
  ['endorsers', endorser({ ...spanish('description'), website_url: ADDRESS, logo_url: ADDRESS })],
  ['elections', election({ ...spanish('name'), ...spanish('short_name'), info_url: ADDRESS })],
  [
    'contests',
    contest('mayor', {
      ...spanish('title'),
      ...spanish('short_title'),
      ...spanish('description'),
      measure_code: 'A',
      source_url: ADDRESS,
      district: {
        ocd_id: 'ocd-division/country:us',
        ...spanish('name'),
        level: 'city',
        type: 'place',
        state: 'OR',
      },
      choices: [
        choice('ann', {
          ...spanish('label'),
          candidate: { full_name: 'Ann', key: 'a' },
          party: 'Green',
          ...spanish('party_label'),
          ...spanish('ballot_designation'),
        }),
      ],
    }),
  ],
  [
    'endorsements',
    {
      endorser: 'bakers',
      contest: 'or-2026-11-03-general/mayor',
      choice: 'ann',
      ...spanish('statement'),
      source_url: ADDRESS,
      published_on: '2026-09-01',
    },
  ],
];
const WORDS = /(^|\.)(state|type|level|kind|vote_method|date|published_on)$/;
const KEPT = /\.(details|source)$/;

const parse = (kind: CatalogueKind | 'endorsements', json: unknown) =>
  kind === 'endorsements' ? parseSubmission(json) : parseCatalogueRecord(kind, json);

/** A copy of a record whose texts, at the chosen paths, are replaced. */
function replaceTexts(value: unknown, replace: (text: string, path: string) => string, path = ''): unknown {
  if (typeof value === 'string') return replace(value, path);
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replace, path));
  if (typeof value !== 'object' || value === null || KEPT.test(path)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, replaceTexts(item, replace, `${path}.${name}`)]),
  );
}

const blur = (text: string) => ` ${text.normalize('NFD').replace(/(.)$/u, '\u200b$1')}\u00a0\n`;
const isWord = (kind: string, path: string) =>
  WORDS.test(path) && !(kind === 'contests' && path === '.district.type');

test.each(RECORDS)('every text of a record of %s has one form', (kind, record) => {
  let blurred = 0;
  const given = replaceTexts(record, (text, path) => {
    if (isWord(kind, path)) return text;
    blurred += 1;
    return blur(text);
  });
  expect(blurred).toBeGreaterThan(3);
  expect(parse(kind, given)).toEqual(parse(kind, record));
  expect(parse(kind, record)).toMatchObject({ ok: true });
});

test.each(RECORDS)('words of closed sets and dates in a record of %s are not guessed', (kind, record) => {
  replaceTexts(record, (text, path) => {
    if (isWord(kind, path)) {
      const given = replaceTexts(record, (other, at) => (at === path ? `${other}\u200b` : other));
      expect(parse(kind, given)).toMatchObject({ ok: false, problems: [{ field: path.slice(1) }] });
    }
    return text;
  });
});

test('details and sources are kept as they are', () => {
  const kept = { note: ' a\u200b  b\n' };
  const record = endorser({ details: kept, source: kept });
  expect(parseCatalogueRecord('endorsers', record)).toMatchObject({ value: { details: kept, source: kept } });
});

test.each([
  [
    'labels that look alike',
    ['ann', 'ann ', 'a\u200bnn', 'ann\u200b'].map((label, index) =>
      choice(`c${index}`, { label, candidate: { full_name: `Ann ${index}` } }),
    ),
    [
      'choices[1].label must differ from that of choices[0] or have another party, is "ann"',
      'choices[2].label must differ from that of choices[0] or have another party, is "ann"',
      'choices[3].label must differ from that of choices[0] or have another party, is "ann"',
    ],
  ],
  [
    'keys that look alike',
    ['ann', 'ann ', 'a\u200bnn'].map((key, index) => choice(key, { label: `Ann ${index}` })),
    [
      'choices[1].key must be unique in the contest, is "ann" as in choices[0]',
      'choices[2].key must be unique in the contest, is "ann" as in choices[0]',
    ],
  ],
  [
    'a label that shows nothing',
    [choice('ann', { label: '\u200b' })],
    ['choices[0].label must be text of 1 to 500 characters, is ""'],
  ],
  [
    'a key that shows nothing',
    [choice('\u2800')],
    ['choices[0].key must be text of 1 to 200 characters, is ""'],
  ],
])('a contest with %s is refused', (_, choices, messages) => {
  const parsed = parseCatalogueRecord('contests', contest('x', { choices }));
  expect(parsed.ok ? [] : parsed.problems.map(({ field, message }) => `${field} ${message}`)).toEqual(
    expect.arrayContaining(messages),
  );
});
