import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InvalidCursorError } from '../../schemas/cursor.ts';
import { formatPageCursor, parsePageCursor } from '../../schemas/page-cursor.ts';
import { nullable, text } from '../helpers/arbitraries.ts';
import { sealPageCursor } from '../helpers/sealed-cursors.ts';

const value = nullable(fc.oneof(text, fc.maxSafeInteger()));
const state = fc.array(value, { maxLength: 6 });

/** Parses a cursor of the endorsements list; undefined if it is refused. Any other error fails the test. */
function readOrRefuse(cursor: string) {
  try {
    return parsePageCursor('endorsements', cursor);
  } catch (error) {
    if (!(error instanceof InvalidCursorError)) throw error;
    return undefined;
  }
}

test('a cursor parses to the formatted state', () => {
  fc.assert(
    fc.property(text, state, (list, written) => {
      expect(parsePageCursor(list, formatPageCursor(list, written))).toEqual(written);
    }),
  );
});

test('a cursor needs no escaping in URLs', () => {
  fc.assert(
    fc.property(state, (written) => {
      const cursor = formatPageCursor('endorsements', written);
      expect(encodeURIComponent(cursor)).toBe(cursor);
    }),
  );
});

test('the text of a cursor is pinned, so that paging continues across releases', () => {
  expect(formatPageCursor('endorsements', [12, 'x', null])).toBe(
    'WyJlbmRvcnNlbWVudHMiLDEyLCJ4IixudWxsXQ.31uhijs',
  );
});

describe('refuses', () => {
  test('the cursor of another list', () => {
    const cursor = formatPageCursor('endorsers', [1]);
    expect(() => parsePageCursor('endorsements', cursor)).toThrow(InvalidCursorError);
    expect(() => parsePageCursor('endorsements', cursor)).toThrow('it belongs to another list');
  });

  test('any change of one character and any truncation', () => {
    fc.assert(
      fc.property(state, fc.nat(), fc.constantFrom(...'aZ09_-.=+ é'), (written, at, character) => {
        const cursor = formatPageCursor('endorsements', written);
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
    ['JSON that ends too early', '["endorsements",1'],
    ['null', 'null'],
    ['a number', '7'],
    ['an object', '{"0":"endorsements"}'],
    ['a text that begins like the list', '"endorsements"'],
    ['an empty list', '[]'],
    ['an object in the state', '["endorsements",{"id":1}]'],
    ['a fraction in the state', '["endorsements",1.5]'],
    ['a number beyond every integer', '["endorsements",1e999]'],
    ['a list in the state', '["endorsements",[1]]'],
    ['a boolean in the state', '["endorsements",true]'],
  ])('%s with a right checksum', (_, json) => {
    expect(readOrRefuse(sealPageCursor(json))).toBeUndefined();
  });

  test('any content with a right checksum, unless its values are texts, integers or nulls', () => {
    const json = fc.json().map((garbage) => `["endorsements",${garbage}]`);
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
