import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatEventId, InvalidCursorError } from '../../schemas/cursor.ts';
import { describeListing, formatPageCursor, parsePageCursor } from '../../schemas/page-cursor.ts';
import { nullable, text } from '../helpers/properties/arbitraries.ts';
import { sealPageCursor } from '../helpers/stream/sealed-cursors.ts';

const value = nullable(fc.oneof(text, fc.maxSafeInteger()));
const state = fc.array(value, { maxLength: 6 });

const ENDORSEMENTS = describeListing('endorsements', { lang: 'en' });
/** The beginning of the content of their cursors. */
const OF_ENDORSEMENTS = `["endorsements","${ENDORSEMENTS.selection}"`;

/** Parses a cursor of the endorsements list; undefined if it is refused. Any other error fails the test. */
function readOrRefuse(cursor: string) {
  try {
    return parsePageCursor(ENDORSEMENTS, cursor);
  } catch (error) {
    if (!(error instanceof InvalidCursorError)) throw error;
    return undefined;
  }
}

test('a cursor parses to the formatted state', () => {
  fc.assert(
    fc.property(text, text, state, (list, q, written) => {
      const listing = describeListing(list, { q });
      expect(parsePageCursor(listing, formatPageCursor(listing, written))).toEqual(written);
    }),
  );
});

test('a cursor needs no escaping in URLs', () => {
  fc.assert(
    fc.property(state, (written) => {
      const cursor = formatPageCursor(ENDORSEMENTS, written);
      expect(encodeURIComponent(cursor)).toBe(cursor);
    }),
  );
});

test('the text of a cursor is pinned, so that paging continues across releases', () => {
  expect(formatPageCursor(ENDORSEMENTS, [12, 'x', null])).toBe(
    'WyJlbmRvcnNlbWVudHMiLCJfZ0cyb2NPQXBhbGd3ckJaIiwxMiwieCIsbnVsbF0.2arfcav',
  );
});

test('the selection of several parameters is pinned too', () => {
  const parameters = { states: ['CA', 'OR'], levels: ['city'], upcoming: true, lang: 'en' };
  expect(describeListing('contests', parameters).selection).toBe('kTE_zcXflk3ETZSJ');
});

test('a short checksum is padded', () => {
  const cursor = formatPageCursor(ENDORSEMENTS, [61]);
  expect(cursor).toBe('WyJlbmRvcnNlbWVudHMiLCJfZ0cyb2NPQXBhbGd3ckJaIiw2MV0.00amg47');
  expect(parsePageCursor(ENDORSEMENTS, cursor)).toEqual([61]);
});

describe('a listing', () => {
  const selection = (parameters: Parameters<typeof describeListing>[1]) =>
    describeListing('contests', parameters).selection;
  const asked = { states: ['CA', 'OR'], levels: ['city'], upcoming: true, lang: 'en' };

  test.each([
    ['the order of parameters', { lang: 'en', upcoming: true, levels: ['city'], states: ['CA', 'OR'] }],
    ['the order of values', { ...asked, states: ['OR', 'CA'] }],
    ['a repeated value', { ...asked, states: ['CA', 'OR', 'CA'] }],
    ['the size of a page', { ...asked, limit: 7 }],
    ['the cursor', { ...asked, cursor: 'x' }],
    ['an absent parameter', { ...asked, districts: undefined }],
  ])('does not depend on %s', (_, same) => expect(selection(same)).toBe(selection(asked)));

  test('is the same with a false filter as without it', () => {
    expect(selection({ upcoming: false })).toBe(selection({}));
  });

  test.each([
    ['another value', { ...asked, states: ['CA', 'WA'] }],
    ['a value less', { ...asked, states: ['CA'] }],
    ['a value of another parameter', { ...asked, states: undefined, elections: ['CA', 'OR'] }],
    ['values that are joined', { ...asked, states: ['CA,OR'] }],
    ['a filter that is off', { ...asked, upcoming: false }],
    ['another language', { ...asked, lang: 'es' }],
  ])('differs by %s', (_, other) => expect(selection(other)).not.toBe(selection(asked)));
});

describe('refuses', () => {
  test('the cursor of another list', () => {
    const cursor = formatPageCursor(describeListing('endorsers', { lang: 'en' }), [1]);
    expect(() => parsePageCursor(ENDORSEMENTS, cursor)).toThrow(InvalidCursorError);
    expect(() => parsePageCursor(ENDORSEMENTS, cursor)).toThrow('it belongs to another list');
  });

  test('the cursor of other filters', () => {
    const cursor = formatPageCursor(describeListing('endorsements', { lang: 'es' }), [1]);
    expect(() => parsePageCursor(ENDORSEMENTS, cursor)).toThrow(
      'it belongs to other filters or another lang',
    );
  });

  test('a cursor of the stream, a cut or a longer one, and says that it is not a whole one of a list', () => {
    const cursor = formatPageCursor(ENDORSEMENTS, [1]);
    const ofStream = formatEventId({ epoch: 1, sequence: 1, time: 1, offsets: [1] });
    for (const text of [ofStream, `${cursor}.x`, cursor.slice(0, -1)]) {
      expect(() => parsePageCursor(ENDORSEMENTS, text)).toThrow('it is not a whole next_cursor of a list');
    }
  });

  test('a cursor with a changed character, and says that it was altered', () => {
    const cursor = formatPageCursor(ENDORSEMENTS, [1]);
    expect(() => parsePageCursor(ENDORSEMENTS, `A${cursor}`)).toThrow('it was altered or cut short');
  });

  test('content of others, and says that it was not made by this service', () => {
    for (const content of ['latest', '7']) {
      const cursor = sealPageCursor(content);
      expect(() => parsePageCursor(ENDORSEMENTS, cursor)).toThrow('it was not made by this service');
    }
  });

  test('any change of one character and any truncation', () => {
    fc.assert(
      fc.property(state, fc.nat(), fc.constantFrom(...'aZ09_-.=+ é'), (written, at, character) => {
        const cursor = formatPageCursor(ENDORSEMENTS, written);
        const index = at % cursor.length;
        const altered = cursor.slice(0, index) + character + cursor.slice(index + 1);
        if (altered !== cursor) expect(readOrRefuse(altered)).toBeUndefined();
        expect(readOrRefuse(cursor.slice(0, index))).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  test('any other text', () => {
    fc.assert(fc.property(text, (garbage) => readOrRefuse(garbage) === undefined));
  });

  test.each([
    ['an empty text', ''],
    ['text that is not JSON', 'latest'],
    ['JSON that ends too early', `${OF_ENDORSEMENTS},1`],
    ['null', 'null'],
    ['a number', '7'],
    ['an object', '{"0":"endorsements"}'],
    ['a text that begins like the list', '"endorsements"'],
    ['an empty list', '[]'],
    ['an object in the state', `${OF_ENDORSEMENTS},{"id":1}]`],
    ['a fraction in the state', `${OF_ENDORSEMENTS},1.5]`],
    ['a number beyond every integer', `${OF_ENDORSEMENTS},1e999]`],
    ['a list in the state', `${OF_ENDORSEMENTS},[1]]`],
    ['a boolean in the state', `${OF_ENDORSEMENTS},true]`],
  ])('%s with a right checksum', (_, json) => {
    expect(readOrRefuse(sealPageCursor(json))).toBeUndefined();
  });

  test('any content with a right checksum, unless its values are texts, integers or nulls', () => {
    const json = fc.json().map((garbage) => `${OF_ENDORSEMENTS},${garbage}]`);
    fc.assert(
      fc.property(fc.oneof(text, fc.json(), json, fc.uint8Array()), (content) => {
        for (const part of readOrRefuse(sealPageCursor(content)) ?? []) {
          expect(part === null || typeof part === 'string' || Number.isSafeInteger(part)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
