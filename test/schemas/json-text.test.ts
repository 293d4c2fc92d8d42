import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { escapeLineBreaks, stringifyJson } from '../../schemas/json-text.ts';

const text = fc.string({
  unit: fc.constantFrom('\u0085', '\u2028', '\u2029', '\n', '"', '\\', 'é', '“', '😀', 'a'),
});

test('JSON keeps its value, and has no line break of Unicode', () => {
  fc.assert(
    fc.property(fc.dictionary(text, fc.array(text)), (value) => {
      const json = stringifyJson(value);
      expect(json).not.toMatch(/[\u0085\u2028\u2029\n]/);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test.each([
  ['a next line', '\u0085', '"\\u0085"'],
  ['a line separator', '\u2028', '"\\u2028"'],
  ['a paragraph separator', '\u2029', '"\\u2029"'],
  ['other characters', '–“é😀', '"–“é😀"'],
])('%s', (_, character, json) => {
  expect(stringifyJson(character)).toBe(json);
  expect(escapeLineBreaks(`["${character}"]`)).toBe(`[${json}]`);
});
