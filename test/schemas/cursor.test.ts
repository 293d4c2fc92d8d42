import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type Cursor,
  formatCursor,
  formatEventId,
  InvalidCursorError,
  parseCursor,
} from '../../schemas/cursor.ts';
import { character, cursor } from '../helpers/properties/arbitraries.ts';

const FORMS = [
  ['the id of an event', formatEventId],
  ['another cursor', formatCursor],
] as const;
/** The largest offset of 24 partitions that is never rounded. */
const LARGEST_EXACT = new Map([
  [formatEventId, 2 ** 30],
  [formatCursor, 2 ** 28 - 1],
]);
const CHARACTERS = [...'0123456789ABCXYZabcuvwxyz.-_+/= \n%é'];

describe.each(FORMS)('the text of %s', (_, format) => {
  test('INV-4: parses to the formatted values, with offsets rounded down at most', () => {
    fc.assert(
      fc.property(cursor, (written) => {
        const { offsets, ...rest } = parseCursor(format(written));
        expect(rest).toEqual({ epoch: written.epoch, sequence: written.sequence, time: written.time });
        const rounded = Array.from({ length: 54 }, (_, scale) =>
          written.offsets.map((offset) => offset - (offset % 2 ** scale)),
        );
        expect(rounded).toContainEqual(offsets);
      }),
    );
  });

  test('offsets of realistic size and number are exact', () => {
    const offsets = fc.array(fc.nat({ max: LARGEST_EXACT.get(format) ?? 0 }), { maxLength: 24 });
    fc.assert(
      fc.property(offsets, fc.nat(), (given, sequence) => {
        const written = { epoch: 1_800_000_000_000, sequence, time: 1_800_000_000_000, offsets: given };
        expect(parseCursor(format(written))).toEqual(written);
      }),
    );
  });

  test('is shorter than 200 characters and safe in URLs and headers', () => {
    fc.assert(
      fc.property(cursor, (written) => {
        const text = format(written);
        expect(text.length).toBeLessThan(200);
        expect(text).toMatch(/^[A-Za-z0-9._-]+$/);
        expect(encodeURIComponent(text)).toBe(text);
      }),
    );
  });

  test('has room for the largest cursor', () => {
    const max = Number.MAX_SAFE_INTEGER;
    const offsets = Array.from({ length: 100 }, () => max);
    const text = format({ epoch: max, sequence: max, time: max, offsets });
    expect(text.length).toBeLessThan(200);
    expect(parseCursor(text)).toMatchObject({ epoch: max, sequence: max, time: max });
  });

  test.each([
    ['a fraction', { epoch: 1.5 }],
    ['a negative number', { time: -1 }],
    ['a sequence beyond the integers of a double', { sequence: 2 ** 53 }],
    ['an offset that is not a number', { offsets: [Number.NaN] }],
    ['more than 100 partitions', { offsets: Array.from({ length: 101 }, () => 0) }],
  ])('%s cannot be formatted', (_, wrong) => {
    const cursor = () => format({ epoch: 1, sequence: 1, time: 1, offsets: [], ...wrong });
    expect(cursor).toThrow(RangeError);
    expect(cursor).toThrow('No cursor can hold {"epoch":');
  });
});

test('INV-4: offsets of an id are rounded only if its 140 bytes are too few for all of them', () => {
  // Of the 140 bytes, 5 come before the offsets and 4 after them; offsets from 128 on take two.
  const full = [...Array(65).fill(129), 1];
  const roundTrip = (offsets: number[]) =>
    parseCursor(formatEventId({ epoch: 1, sequence: 1, time: 2, offsets })).offsets;
  expect(roundTrip(full)).toEqual(full);
  expect(roundTrip([...full, 1])).toEqual([...Array(65).fill(128), 0, 0]);
});

describe('cursors compare as ASCII in stream order:', () => {
  /** Cursors after the same few changes, so that many follow the same one. */
  const near = fc.record({
    form: fc.constantFrom('id', 'later'),
    at: cursor,
    sequence: fc.nat(3),
    time: fc.nat(3),
  });

  test('INV-3: ids in the order of their sequences', () => {
    fc.assert(
      fc.property(fc.uniqueArray(cursor, { selector: ({ sequence }) => sequence }), (cursors) => {
        const bySequence = cursors.toSorted((a, b) => a.sequence - b.sequence).map(formatEventId);
        expect(cursors.map(formatEventId).sort()).toEqual(bySequence);
      }),
    );
  });

  test('any cursor is above the id of its event and below the next, with any other contents', () => {
    fc.assert(
      fc.property(cursor, cursor, cursor, fc.nat(), (id, next, later, step) => {
        const { sequence } = id;
        fc.pre(sequence + step < Number.MAX_SAFE_INTEGER);
        const text = formatCursor({ ...later, sequence });
        expect(text > formatEventId(id)).toBe(true);
        expect(text < formatEventId({ ...next, sequence: sequence + 1 + step })).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('of cursors after the same event, the one with the later time is above', () => {
    fc.assert(
      fc.property(cursor, cursor, (one, other) => {
        fc.pre(one.time !== other.time);
        const [first, second] = [one, { ...other, sequence: one.sequence }].toSorted(
          (a, b) => a.time - b.time,
        );
        expect(formatCursor(second as Cursor) > formatCursor(first as Cursor)).toBe(true);
      }),
    );
  });

  test('ids and other cursors together in the order of sequence, form and time', () => {
    fc.assert(
      fc.property(fc.array(near, { maxLength: 12 }), (list) => {
        const cursors = list.map(({ form, at, sequence, time }) => {
          const values = { ...at, sequence, time };
          const text = form === 'id' ? formatEventId(values) : formatCursor(values);
          return { text, place: [sequence, ...(form === 'id' ? [0, 0] : [1, time])] };
        });
        const places = cursors.toSorted((a, b) => (a.text < b.text ? -1 : 1)).map(({ place }) => place);
        expect(places).toEqual(cursors.map(({ place }) => place).toSorted(compareLists));
      }),
    );
  });
});

function compareLists(one: number[], other: number[]): number {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index === -1 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

describe.each(FORMS)('text that the service did not make, in place of %s, is refused:', (_, format) => {
  test('any change of one character', () => {
    fc.assert(
      fc.property(cursor, fc.nat(), fc.constantFrom(...CHARACTERS), (written, at, character) => {
        const text = format(written);
        const index = at % text.length;
        const altered = text.slice(0, index) + character + text.slice(index + 1);
        fc.pre(altered !== text);
        expect(() => parseCursor(altered)).toThrow(InvalidCursorError);
      }),
      { numRuns: 300 },
    );
  });

  test('any truncation or appended text', () => {
    fc.assert(
      fc.property(cursor, fc.nat(), fc.constantFrom(...CHARACTERS), (written, at, character) => {
        const text = format(written);
        expect(() => parseCursor(text.slice(0, at % text.length))).toThrow(InvalidCursorError);
        expect(() => parseCursor(text + character)).toThrow(InvalidCursorError);
        expect(() => parseCursor(character + text)).toThrow(InvalidCursorError);
      }),
    );
  });

  test('any two characters swapped', () => {
    fc.assert(
      fc.property(cursor, fc.nat(), (written, at) => {
        const text = format(written);
        const index = at % (text.length - 1);
        const exchanged = text.slice(0, index) + text[index + 1] + text[index] + text.slice(index + 2);
        fc.pre(exchanged !== text);
        expect(() => parseCursor(exchanged)).toThrow(InvalidCursorError);
      }),
      { numRuns: 300 },
    );
  });

  test('any foreign text', () => {
    const formLike = fc.stringMatching(/^[0-9a-v]{11}(_[0-9a-v]{11})?\.[A-Za-z0-9_-]{8,187}$/);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: character }), formLike), (text) => {
        expect(() => parseCursor(text)).toThrow(InvalidCursorError);
      }),
    );
  });
});
