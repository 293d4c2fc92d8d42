import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InvalidCursorError } from '../../schemas/cursor.ts';
import { formatPageCursor, parsePageCursor } from '../../schemas/page-cursor.ts';
import { nullable, text } from '../helpers/arbitraries.ts';
import { sealPageCursor } from '../helpers/sealed-cursors.ts';

const value = nullable(fc.oneof(text, fc.maxSafeInteger()));
const state = fc.array(value, { maxLength: 6 });

/** Reads a cursor of the endorsements list; undefined where it is refused as it should be. */
function readOrRefuse(cursor: string) {
  try {
    return parsePageCursor('endorsements', cursor);
  } catch (error) {
    if (!(error instanceof InvalidCursorError)) throw error;
    return undefined;
  }
}

test('it is read back as it was written', () => {
  fc.assert(
    fc.property(text, state, (list, written) => {
      expect(parsePageCursor(list, formatPageCursor(list, written))).toEqual(written);
    }),
  );
});

test('it needs no escaping in a URL', () => {
  fc.assert(
    fc.property(state, (written) => {
      const cursor = formatPageCursor('endorsements', written);
      expect(encodeURIComponent(cursor)).toBe(cursor);
    }),
  );
});

test('its text is pinned, so that a page can be followed across a release', () => {
  expect(formatPageCursor('endorsements', [12, 'x', null])).toBe(
    'WyJlbmRvcnNlbWVudHMiLDEyLCJ4IixudWxsXQ.31uhijs',
  );
});

describe('refused', () => {
  test('the cursor of another list', () => {
    const cursor = formatPageCursor('endorsers', [1]);
    expect(() => parsePageCursor('endorsements', cursor)).toThrow(InvalidCursorError);
    expect(() => parsePageCursor('endorsements', cursor)).toThrow('it belongs to another list');
  });

  test('any change of one character, and every truncation', () => {
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

  test('any text, whatever it is', () => {
    fc.assert(fc.property(text, (garbage) => readOrRefuse(garbage) === undefined));
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'latest'],
    ['JSON that ends too early', '["endorsements",1'],
    ['null', 'null'],
    ['a number', '7'],
    ['an object', '{"0":"endorsements"}'],
    ['a text that begins like the list', '"endorsements"'],
    ['an empty list', '[]'],
    ['an object in the state', '["endorsements",{"id":1}]'],
    ['half a number in the state', '["endorsements",1.5]'],
    ['a number beyond every integer', '["endorsements",1e999]'],
    ['a list in the state', '["endorsements",[1]]'],
    ['a truth value in the state', '["endorsements",true]'],
  ])('under a right checksum: %s', (_, json) => {
    expect(readOrRefuse(sealPageCursor(json))).toBeUndefined();
  });

  test('under a right checksum: any bytes, or a state of which every part is a text, a whole number or null', () => {
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
