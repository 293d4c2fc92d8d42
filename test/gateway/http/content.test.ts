import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeContent, encodeTexts, namesTag } from '../../../gateway/http/content.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  // ASCII, Latin-1, other characters of two bytes, of three and of four, in texts larger than the reused buffer.
  fc
    .tuple(fc.constantFrom('a', 'é', 'Ж', '–', '😀'), fc.integer({ min: 0, max: 400_000 }))
    .map(([character, times]) => character.repeat(times)),
);

test('texts are encoded as if they were one', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
      expect(encodeTexts(texts).equals(Buffer.from(texts.join('')))).toBe(true);
    }),
  );
});

test('later encoding does not change earlier results', () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      const { pieces } = encodeContent(first);
      encodeContent(second);
      expect(Buffer.concat([...pieces]).toString()).toBe(first);
    }),
  );
});

test.each([
  ['the same tag', 'W/"a"', true],
  ['the strong form of it', '"a"', true],
  ['one of several tags', '"x", W/"a" ,"y"', true],
  ['any tag', ' * ', true],
  ['another tag', 'W/"b"', false],
  ['a tag that only begins alike', 'W/"ab"', false],
  ['a tag without quotes', 'a', false],
  ['nothing', '', false],
])('a client that names %s has the content: %#', (_, ifNoneMatch, expected) => {
  expect(namesTag(ifNoneMatch, 'W/"a"')).toBe(expected);
});
