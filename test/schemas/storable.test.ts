import { expect, test } from '@jest/globals';
import { parseUnchanged } from '../../schemas/catalogue/changed-numbers.ts';
import { isStorable, unstorableParts } from '../../schemas/catalogue/storable.ts';

const NUL = 'holds a NUL character (\\u0000), which cannot be stored';
const EXACT = 'must be a number that can be kept exactly, is';
const HALF = 'holds half of a surrogate pair, which is not a character';

test('no more than twenty parts are reported', () => {
  expect(unstorableParts(Array(1000).fill('\0'))).toHaveLength(20);
});

/** A value within this many lists. */
const nest = (levels: number): unknown => (levels === 0 ? 'x' : [nest(levels - 1)]);

test.each([
  ['a text of any characters', 'a\r\n\u2028😀'],
  ['a number', 7],
  ['true', true],
  ['null', null],
  ['an object', { a: { b: [null, 1, 'x'] } }],
  ['64 levels', nest(64)],
])('%s can be stored', (_, value) => {
  expect(unstorableParts(value)).toEqual([]);
  expect(isStorable(value)).toBe(true);
});

test.each<[string, unknown, string | null, string]>([
  ['a NUL', 'a\0', null, NUL],
  ['half a character', { a: [1, '\ud83d'] }, 'a[1]', HALF],
  ['a NUL in the name of a field', { a: { 'b\0': 1 } }, 'a', `has a field whose name ${NUL}`],
  ['half a character in the name of a field', { 'b\ud83d': 1 }, null, `has a field whose name ${HALF}`],
  [
    'a number that changes',
    parseUnchanged('{"a":[1,{"b":12345678901234567890}]}'),
    'a[1].b',
    `${EXACT} 12345678901234567890; to keep it, write it as text`,
  ],
  [
    'a number of many digits',
    parseUnchanged(`{"a":${'9'.repeat(400)}}`),
    'a',
    `${EXACT} ${'9'.repeat(80)}…; to keep it, write it as text`,
  ],
  ['65 levels', nest(65), Array(64).fill('[0]').join(''), 'is nested more than 64 levels deep'],
])('%s cannot be stored', (_, value, field, message) => {
  expect(unstorableParts(value)).toEqual([{ field, message }]);
  expect(isStorable(value)).toBe(false);
});
