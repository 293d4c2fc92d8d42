import { expect, test } from '@jest/globals';
import { formatRefusals, formatWarnings } from '../../ops/catalog/format-refusals.ts';
import {
  formatAmbiguousDistricts,
  formatAmbiguousElections,
  formatAnnounced,
  formatImport,
} from '../../ops/catalog/import-report.ts';
import type { CatalogueImport } from '../../store/catalogue/import.ts';
import type { LineRefusal } from '../../store/catalogue/refusals.ts';

test.each([
  [{ created: 0, updated: 0, deleted: 0 }, []],
  [{ created: 0, updated: 1756, deleted: 0 }, ['Endorsements announced: 1,756 updated.']],
  [
    { created: 2, updated: 1, deleted: 5 },
    [
      'Endorsements announced: 1 updated; 2 deleted and created again, because the edit affects filters; ' +
        '3 withdrawn with what was removed or is no longer ranked.',
    ],
  ],
  [
    { created: 2, updated: 0, deleted: 2 },
    ['Endorsements announced: 2 deleted and created again, because the edit affects filters.'],
  ],
])('the announcements %j are told by what they mean', (announced, told) => {
  expect(formatAnnounced(announced, { dryRun: false })).toEqual(told);
  expect(formatAnnounced(announced, { dryRun: true })).toEqual(
    told.map((line) => line.replace('Endorsements announced', 'Endorsements to announce')),
  );
});

const IMPORT = {
  counts: {
    endorsers: { added: 1, changed: 0, unchanged: 2000, removed: 0 },
    elections: { added: 0, changed: 0, unchanged: 0, removed: 0 },
    choices: { added: 0, changed: 3, unchanged: 0, removed: 4 },
  },
  refused: { 'endorser-categories': 5, endorsers: 0 },
  announced: { created: 0, updated: 1, deleted: 0 },
} as unknown as CatalogueImport;

test('a table of an import has a line for each kind with any number, refused ones too', () => {
  const lines = formatImport(IMPORT, { dryRun: true }).map((line) => line.replaceAll(/ {2,}/g, '|'));
  expect(lines[0]).toBe('|added|changed|unchanged|removed|refused');
  expect(lines.slice(1, -1).toSorted()).toEqual([
    'choices|0|3|0|4|0',
    'endorser categories|0|0|0|0|5',
    'endorsers|1|0|2,000|0|0',
  ]);
  expect(lines.at(-1)).toBe('Endorsements to announce: 1 updated.');
});

test('a district with several names is told with all of them, safe on a terminal', () => {
  const district = { ocdId: null, level: 'city', type: null, state: 'OR', name: 'Fern' };
  const others = ['Fern\u001bville', 'Ferns'].map((name, at) => ({ name, contest: `el/${at}` }));
  expect(
    formatAmbiguousDistricts({ ambiguousDistricts: [{ ...district, others }] } as unknown as CatalogueImport),
  ).toEqual([
    'The district Fern (city, OR) is called "Fern", but "Fern\\u001bville" in el/0, "Ferns" in el/1; "Fern" stays.',
  ]);
});

test('an election that feeds name otherwise is told with one other name, safe on a terminal', () => {
  const one = { slug: 'or', name: 'Fall', other: 'Fall\u001b', file: 'a.xml', more: 0 };
  const ambiguousElections = [one, { ...one, more: 1_200 }];
  expect(formatAmbiguousElections({ ambiguousElections } as unknown as CatalogueImport)).toEqual([
    'The election or is called "Fall", but "Fall\\u001b" in a.xml; "Fall" stays.',
    'The election or is called "Fall", but "Fall\\u001b" in a.xml, and otherwise in 1,200 more; "Fall" stays.',
  ]);
});

const refusal = (line: number, more: Partial<LineRefusal> = {}): LineRefusal => ({
  ...{ file: 'a.ndjson', line, field: 'slug', message: 'is missing', name: null, ...more },
});
const countOf = (count: number, field: string | null = 'slug', reason = 'is missing') => ({
  ...{ file: 'a.ndjson', field, reason, count },
});

test('a single refusal is told with its place and name, and not counted', () => {
  const one = refusal(3, { name: 'B\u202eob' });
  expect(formatRefusals({ kept: [one], total: 1, counts: [countOf(1)] })).toEqual([
    'a.ndjson:3: field slug: is missing (B\\u202eob)',
  ]);
});

test('several refusals are counted, the most frequent reason first, and those that are not kept are told', () => {
  const kept = [refusal(3), refusal(4, { field: null, message: 'is not JSON' })];
  const counts = [countOf(2), countOf(1500, null, 'is not JSON')];
  expect(formatRefusals({ kept, total: 1502, counts })).toEqual([
    'a.ndjson:3: field slug: is missing',
    'a.ndjson:4: is not JSON',
    '… and 1,500 more',
    'Refusals by file, field and reason:',
    '      1,500  a.ndjson: is not JSON',
    '          2  a.ndjson: field slug is missing',
  ]);
});

test.each([
  [50, []],
  [51, ['             and 1 other reasons']],
])('of %i reasons fifty are told', (reasons, rest) => {
  const counts = Array.from({ length: reasons }, (_, at) => countOf(at + 1, `f${at}`));
  const lines = formatRefusals({ kept: [refusal(1)], total: 2000, counts });
  expect(lines[3]).toContain(`field f${reasons - 1} is missing`);
  expect(lines.slice(53)).toEqual(rest);
});

test('possible mistakes have a heading if there are any', () => {
  expect(formatWarnings({ kept: [], total: 0 })).toEqual([]);
  expect(formatWarnings({ kept: [refusal(3)], total: 2 })).toEqual([
    'Possible mistakes, which are sent all the same:',
    'a.ndjson:3: field slug: is missing',
    '… and 1 more',
  ]);
});
