import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeFilter, readFilter, writeFilter } from '../../../gateway/console/filter/filter-form.ts';
import { addressOf, readStreamView, writeApiQuery } from '../../../gateway/console/filter/stream-view.ts';
import { FILTER_FIELDS } from '../../../schemas/vocabulary.ts';

const value = fc.stringMatching(/^[A-Za-z0-9_.+&=%é-]{1,12}$/);
const filter = fc
  .dictionary(fc.constantFrom(...FILTER_FIELDS), fc.uniqueArray(value, { minLength: 1, maxLength: 5 }))
  .map((fields) => ({ ...fields }));

test('a filter is the same after writing and reading it', () => {
  fc.assert(
    fc.property(filter, (given) => {
      expect(readFilter(new URLSearchParams(String(writeFilter(given))))).toEqual(given);
    }),
  );
});

test('boxes and lists are equivalent, and spaces and empty items are ignored', () => {
  const boxes = new URLSearchParams('states=CA&states=OR&endorsers=&other=1');
  expect(readFilter(boxes)).toEqual({ states: ['CA', 'OR'] });
  expect(readFilter(new URLSearchParams({ states: ' CA, OR ,,CA' }))).toEqual({ states: ['CA', 'OR'] });
});

test('a view is the same after writing and reading its address', () => {
  const start = fc.constantFrom('latest', 'earliest', 'since', 'cursor');
  fc.assert(
    fc.property(filter, start, value, (fields, begin, text) => {
      const view = {
        filter: fields,
        subscription: null,
        start: begin,
        since: begin === 'since' ? text : '',
        cursor: begin === 'cursor' ? text : '',
      } as const;
      expect(readStreamView(new URL(addressOf(view), 'https://console').searchParams)).toEqual(view);
    }),
  );
});

test.each([
  ['start=since&since=2026-11-22T10:00', 'since=2026-11-22T10%3A00%3A00Z'],
  ['start=since&since=2026-11-22T10:00:05', 'since=2026-11-22T10%3A00%3A05Z'],
  ['start=since&since=2026-11-22T10:00:05Z', 'since=2026-11-22T10%3A00%3A05Z'],
  ['start=cursor&cursor=+abc+', 'cursor=abc'],
  ['start=earliest&cursor=abc', 'from=earliest'],
  ['start=nonsense', 'from=latest'],
  ['subscription=7', 'subscription=7&from=latest'],
])('the view %s asks the API for %s', (query, asked) => {
  expect(String(writeApiQuery(readStreamView(new URLSearchParams(query))))).toBe(asked);
});

test('a filter has a short description', () => {
  expect(describeFilter({})).toBe('Every change');
  expect(describeFilter({ states: ['CA', 'OR'], types: ['created'] })).toBe(
    'States: CA, OR; Types of change: created',
  );
  expect(describeFilter({ states: ['A', 'B', 'C', 'D', 'E', 'F'] })).toBe('States: A, B, C, D and 2 more');
});
