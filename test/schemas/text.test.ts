import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normalizeText } from '../../schemas/text.ts';

test.each([
  ['spaces around it', '  Acme\t', 'Acme'],
  ['runs of white space', 'Acme \u00a0\u3000\n Club\u2028x', 'Acme Club x'],
  ['a decomposed accent', 'Cafe\u0301', 'Café'],
  ['a zero-width space', 'Ac\u200bme', 'Acme'],
  ['invisible characters between spaces', 'Acme \u200b Club', 'Acme Club'],
  ['a byte order mark', '\ufeffAcme', 'Acme'],
  ['a soft hyphen', 'Ac\u00adme', 'Acme'],
  ['an override of the direction', 'Acme\u202e', 'Acme'],
  ['a filler of Hangul', 'Acme\u3164', 'Acme'],
  ['a control character', 'Ac\u0007me', 'Acme'],
  ['half of a character', 'Ac\ud83dme', 'Acme'],
  ['a joiner between Latin letters', 'Ac\u200dme', 'Acme'],
  ['a joiner at the end of an emoji', '👩\u200d', '👩'],
  ['only invisible characters', '\u200b \u200d', ''],
])('%s', (_, text, normalized) => {
  expect(normalizeText(text)).toBe(normalized);
});

test.each([
  ['an emoji of several', '👩\u200d🚀'],
  ['an emoji with a skin tone and a gender', '🏃🏽\u200d♀\ufe0f'],
  ['a non-joiner of Persian', 'می\u200cخواهم'],
  ['a joiner of Sinhala', 'ශ්\u200dරී'],
  ['punctuation', "O’Neill – “A” & B's"],
])('%s stays', (_, text) => {
  expect(normalizeText(text)).toBe(text);
});

test('a normalized text stays as it is', () => {
  const unit = fc.oneof(
    fc.constantFrom(
      ' ',
      '\u00a0',
      '\u200b',
      '\u200d',
      '\u200c',
      '\u0301',
      'e',
      '👩',
      '🚀',
      'ම',
      '\ufe0f',
      '\u3164',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      const once = normalizeText(units.join(''));
      expect(normalizeText(once)).toBe(once);
      expect(once).not.toMatch(/^ | $| {2}|\u200b/);
    }),
    { numRuns: 2000 },
  );
});
