import { describe, expect, test } from '@jest/globals';
import { readPageState, renderPage, slugsOf } from '../../../gateway/selection/page.ts';
import { readName } from '../../../gateway/selection/record-name.ts';
import { withElectionsFrom } from '../../../gateway/selection/upcoming.ts';
import { describeListing, formatPageCursor, type PageState } from '../../../schemas/page-cursor.ts';

const LISTING = describeListing('endorsers', { states: ['OR'] });
const bodyOf = (...args: Parameters<typeof renderPage>) => JSON.parse(renderPage(...args).toString());

describe('the state in the cursor of a page', () => {
  const FORM = ['number', 'string', 'date', 'personId'] as const;
  const PERSON = '19e0dbe3-0e2d-4dec-b5dd-c34618cdc2c3';
  const read = (state: PageState, listing = LISTING) =>
    readPageState(LISTING, formatPageCursor(listing, state), FORM);

  test('is what the page before has ended with; the first page has none', () => {
    expect(read([7, 'a', '2026-11-03', PERSON])).toEqual([7, 'a', '2026-11-03', PERSON]);
    expect(readPageState(LISTING, undefined, FORM)).toBeNull();
  });

  test.each<[string, PageState]>([
    ['a part too few', [7, 'a', '2026-11-03']],
    ['a part too many', [7, 'a', '2026-11-03', PERSON, 1]],
    ['text instead of a number', ['7', 'a', '2026-11-03', PERSON]],
    ['nothing instead of text', [7, null, '2026-11-03', PERSON]],
    ['a day that no calendar has', [7, 'a', '2026-02-30', PERSON]],
    ['a number instead of a day', [7, 'a', 20_261_103, PERSON]],
    ['more than the id of a person', [7, 'a', '2026-11-03', `${PERSON}'`]],
    ['a number instead of the id', [7, 'a', '2026-11-03', 1]],
  ])('is refused if it has %s', (_, state) => {
    expect(() => read(state)).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: expect.stringContaining(
          'not a cursor of this list: it has the wrong form. Send the next_cursor',
        ),
      }),
    );
  });

  test('is refused in another list', () => {
    const other = describeListing('endorsers', { states: ['WA'] });
    expect(() => read([7, 'a', '2026-11-03', PERSON], other)).toThrow(
      'it belongs to other filters or another lang',
    );
    expect(() => readPageState(LISTING, 'x', FORM)).toThrow('it is not a whole next_cursor');
  });
});

describe('the body of a page', () => {
  const items = '{"slug":"a"},{"slug":"b"}';

  test('has the place of its last record, if others follow, and what every page passes on', () => {
    const page = { items, last: ['b', 2], hasMore: true };
    const { data, next_cursor, ...rest } = bodyOf(LISTING, page, 'here');
    expect([data, rest]).toEqual([[{ slug: 'a' }, { slug: 'b' }], { stream_cursor: 'here' }]);
    expect(readPageState(LISTING, next_cursor, ['string', 'number', 'string'])).toEqual(['b', 2, 'here']);
    expect(slugsOf(page)).toEqual(['a', 'b']);
  });

  test('has no place on the last page, nor on an empty one', () => {
    expect(bodyOf(LISTING, { items, last: ['b', 2], hasMore: false })).toMatchObject({ next_cursor: null });
    const empty = { items: '', last: null, hasMore: false };
    expect(bodyOf(LISTING, empty, 'here')).toEqual({ data: [], next_cursor: null, stream_cursor: 'here' });
    expect(slugsOf(empty)).toEqual([]);
  });
});

describe('the name that an account gives a record', () => {
  test('is kept in its one form', () => {
    expect(readName(' My \u00a0 news ', {}, 'invalid_subscription')).toBe('My news');
    expect(readName('42a', {}, 'invalid_subscription')).toBe('42a');
  });

  test.each([
    ['', {}, 'invalid_webhook', 'is "".'],
    [' \u200b ', {}, 'invalid_webhook', 'not all digits'],
    [' 0 ', {}, 'invalid_subscription', 'not all digits, is " 0 ".'],
    ['a', { filter: { states: ['\0'] } }, 'invalid_filter', 'The body has a NUL character'],
    ['a', { 'x\ud800': 1 }, 'invalid_filter', 'an unpaired surrogate'],
  ] as const)('%j in %j is refused', (text, body, code, words) => {
    expect(() => readName(text, body, code)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(words) }),
    );
  });
});

test('only a filter for upcoming elections has their first day, and the other filters stay', () => {
  const at = { clock: { now: () => Date.parse('2026-11-03T12:00:00Z') }, config: { today: null } };
  expect(withElectionsFrom({ upcoming: true, states: ['OR'] }, at)).toEqual({
    states: ['OR'],
    electionsFrom: '2026-11-02',
  });
  for (const upcoming of [false, undefined])
    expect(withElectionsFrom({ upcoming, states: ['OR'] }, at)).toEqual({
      states: ['OR'],
      electionsFrom: undefined,
    });
  const demo = { ...at, config: { today: '2024-11-05' } };
  expect(withElectionsFrom({ upcoming: true }, demo)).toEqual({ electionsFrom: '2024-11-04' });
});
