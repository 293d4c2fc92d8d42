import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatCursor, InvalidCursorError, parseCursor } from '../../schemas/cursor.ts';
import { cursor } from '../helpers/arbitraries.ts';

const CHARACTERS = [...'0123456789ABCXYZabcuvwxyz.-_+/= \n%é'];

describe('the text of a cursor', () => {
  test('INV-4: parses to the formatted values, with offsets rounded down at most', () => {
    fc.assert(
      fc.property(cursor, (written) => {
        const { offsets, ...rest } = parseCursor(formatCursor(written));
        expect(rest).toEqual({ epoch: written.epoch, sequence: written.sequence, time: written.time });
        const rounded = Array.from({ length: 54 }, (_, scale) =>
          written.offsets.map((offset) => offset - (offset % 2 ** scale)),
        );
        expect(rounded).toContainEqual(offsets);
      }),
    );
  });

  test('offsets of realistic size and number are exact', () => {
    const offsets = fc.array(fc.nat({ max: 2 ** 30 }), { maxLength: 24 });
    fc.assert(
      fc.property(offsets, fc.nat(), (given, sequence) => {
        const written = { epoch: 1_800_000_000_000, sequence, time: 1_800_000_000_000, offsets: given };
        expect(parseCursor(formatCursor(written))).toEqual(written);
      }),
    );
  });

  test('is shorter than 200 characters and safe in URLs and headers', () => {
    fc.assert(
      fc.property(cursor, (written) => {
        const text = formatCursor(written);
        expect(text.length).toBeLessThan(200);
        expect(text).toMatch(/^[A-Za-z0-9._-]+$/);
        expect(encodeURIComponent(text)).toBe(text);
      }),
    );
  });

  test('has room for the largest cursor', () => {
    const max = Number.MAX_SAFE_INTEGER;
    const offsets = Array.from({ length: 100 }, () => max);
    const text = formatCursor({ epoch: max, sequence: max, time: max, offsets });
    expect(text.length).toBeLessThan(200);
    expect(parseCursor(text)).toMatchObject({ epoch: max, sequence: max, time: max });
  });

  test('INV-3: compares as ASCII in the order of sequences', () => {
    fc.assert(
      fc.property(fc.uniqueArray(cursor, { selector: ({ sequence }) => sequence }), (cursors) => {
        const bySequence = cursors.toSorted((a, b) => a.sequence - b.sequence).map(formatCursor);
        expect(cursors.map(formatCursor).sort()).toEqual(bySequence);
      }),
    );
  });

  test.each([
    ['a fraction', { epoch: 1.5 }],
    ['a negative number', { time: -1 }],
    ['a sequence beyond the integers of a double', { sequence: 2 ** 53 }],
    ['an offset that is no number', { offsets: [Number.NaN] }],
    ['more than 100 partitions', { offsets: Array.from({ length: 101 }, () => 0) }],
  ])('%s cannot be formatted', (_, wrong) => {
    expect(() => formatCursor({ epoch: 1, sequence: 1, time: 1, offsets: [], ...wrong })).toThrow(RangeError);
  });
});

describe('text that the service did not make is refused:', () => {
  test('any change of one character', () => {
    fc.assert(
      fc.property(cursor, fc.nat(), fc.constantFrom(...CHARACTERS), (written, at, character) => {
        const text = formatCursor(written);
        const index = at % text.length;
        const altered = text.slice(0, index) + character + text.slice(index + 1);
        fc.pre(altered !== text);
        expect(() => parseCursor(altered)).toThrow(InvalidCursorError);
      }),
      { numRuns: 1000 },
    );
  });

  test('any truncation or appended text', () => {
    fc.assert(
      fc.property(cursor, fc.nat(), fc.constantFrom(...CHARACTERS), (written, at, character) => {
        const text = formatCursor(written);
        expect(() => parseCursor(text.slice(0, at % text.length))).toThrow(InvalidCursorError);
        expect(() => parseCursor(text + character)).toThrow(InvalidCursorError);
        expect(() => parseCursor(character + text)).toThrow(InvalidCursorError);
      }),
    );
  });

  test('any two characters swapped', () => {
    fc.assert(
      fc.property(cursor, fc.nat(), (written, at) => {
        const text = formatCursor(written);
        const index = at % (text.length - 1);
        const exchanged = text.slice(0, index) + text[index + 1] + text[index] + text.slice(index + 2);
        fc.pre(exchanged !== text);
        expect(() => parseCursor(exchanged)).toThrow(InvalidCursorError);
      }),
      { numRuns: 1000 },
    );
  });

  test('any foreign text', () => {
    const formLike = fc.stringMatching(/^[0-9a-v]{11}\.[A-Za-z0-9_-]{8,188}$/);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), formLike), (text) => {
        expect(() => parseCursor(text)).toThrow(InvalidCursorError);
      }),
    );
  });
});
