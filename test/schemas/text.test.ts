import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normalizeAddress, normalizeLines, normalizeText } from '../../schemas/text.ts';
import { character } from '../helpers/properties/arbitraries.ts';

test.each([
  ['spaces around it', '  Acme\t', 'Acme'],
  ['runs of white space', 'Acme \u00a0\u3000\n Club\u2028x', 'Acme Club x'],
  ['a decomposed accent', 'Cafe\u0301', 'Café'],
  ['a zero-width space', 'Ac\u200bme', 'Acme'],
  ['invisible characters between spaces', 'Acme \u200b Club', 'Acme Club'],
  ['a byte order mark', '\ufeffAcme', 'Acme'],
  ['a byte order mark within a word', 'Ac\ufeffme', 'Acme'],
  ['a soft hyphen', 'Ac\u00adme', 'Acme'],
  ['an override of the direction', 'Acme\u202e', 'Acme'],
  ['a filler of Hangul', 'Acme\u3164', 'Acme'],
  ['a control character', 'Ac\u0007me', 'Acme'],
  ['half of a character', 'Ac\ud83dme', 'Acme'],
  ['a joiner between Latin letters', 'Ac\u200dme', 'Acme'],
  ['a joiner at the end of an emoji', '👩\u200d', '👩'],
  ['a non-joiner at the end of a word of Persian', 'می\u200c', 'می'],
  ['only invisible characters', '\u200b \u200d', ''],
  ['a blank of Braille', 'Acme\u2800Club', 'Acme Club'],
  ['a selector after a letter', 'Acme\ufe0f', 'Acme'],
  ['a selector after a digit', 'Prop 1\ufe0f', 'Prop 1'],
  ['a tag without a flag', 'Acme\u{e0063}', 'Acme'],
  ['a joiner of marks', 'Cafe\u034f\u0301', 'Café'],
])('%s', (_, text, normalized) => {
  expect(normalizeText(text)).toBe(normalized);
});

test.each([
  ['an emoji of several', '👩\u200d🚀'],
  ['an emoji with a skin tone and a gender', '🏃🏽\u200d♀\ufe0f'],
  ['a non-joiner of Persian', 'می\u200cخواهم'],
  ['a joiner of Sinhala', 'ශ්\u200dරී'],
  ['punctuation', "O’Neill – “A” & B's"],
  ['a key of emoji', '1\ufe0f\u20e3'],
  ['the flag of California', '\u{1f3f4}\u{e0075}\u{e0073}\u{e0063}\u{e0061}\u{e007f}'],
  ['a variant of an ideograph', '葛\u{e0100}'],
  ['the end of a verse in Arabic', '\u06dd١'],
])('%s stays', (_, text) => {
  expect(normalizeText(text)).toBe(text);
  expect(normalizeText(` \u200b${text}\u200b `)).toBe(text);
});

const VISIBLE = ['a', 'e', 'É', "'", 'ʻ', 'ﬁ', '½', '☃', 'ß', '中', '가', 'م', 'ම', 'с'];
const MARKS = ['\u0301', '\u0323', '\u0327', '\u093c'];
const BLANKS = [' ', '\u00a0', '\t', '\n', '\u2028', '\u3000'];
const HIDDEN = [
  '\u200b',
  '\u200c',
  '\u200d',
  '\ufe0f',
  '\u00ad',
  '\u202e',
  '\u034f',
  '\u3164',
  '\u{e0061}',
  '\u180b',
];
const text = fc
  .array(
    fc.oneof(fc.constantFrom(...VISIBLE, ...MARKS, ...BLANKS, ...HIDDEN, '👩', '🚀', '🏴', '1'), character),
    { maxLength: 12 },
  )
  .map((units) => units.join(''));
const FORMS = { normalizeText, normalizeLines, normalizeAddress };

test.each(Object.entries(FORMS))('%s leaves its results as they are', (_, form) => {
  fc.assert(
    fc.property(text, (given) => {
      const once = form(given);
      expect(form(once)).toBe(once);
      expect(once).not.toMatch(/^\s|\s$|\u200b/);
    }),
    { numRuns: 2000 },
  );
});

test('a text has the same form however its letters are composed', () => {
  fc.assert(
    fc.property(text, (given) => {
      for (const form of [normalizeText, normalizeLines]) {
        const normalized = form(given);
        expect(form(given.normalize('NFD'))).toBe(normalized);
        expect(form(given.normalize('NFC'))).toBe(normalized);
        expect(normalized).toBe(normalized.normalize('NFC'));
      }
    }),
    { numRuns: 2000 },
  );
});

test('the one form keeps every visible character, so two texts that look different stay different', () => {
  const visible = (given: string) => {
    const spaced = given.replace(/\s+/g, ' ').trim();
    return [...spaced.normalize('NFD')].filter((character) => !HIDDEN.includes(character)).join('');
  };
  const known = fc
    .array(
      fc.oneof(
        fc.constantFrom(...VISIBLE),
        fc.tuple(fc.constantFrom(...VISIBLE), fc.constantFrom(...MARKS)).map((pair) => pair.join('')),
        fc.constantFrom(...BLANKS, ...HIDDEN),
      ),
      { maxLength: 12 },
    )
    .map((units) => units.join(''));
  fc.assert(
    fc.property(known, (given) => {
      const withoutHidden = [...given].filter((character) => !HIDDEN.includes(character)).join('');
      expect(visible(normalizeText(given))).toBe(visible(withoutHidden));
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['lines and paragraphs', 'One\ntwo\n\nthree', 'One\ntwo\n\nthree'],
  ['other line breaks', 'a\r\nb\rc\u2028d\u2029e\u0085f', 'a\nb\nc\nd\ne\nf'],
  ['spaces around and within lines', ' a \u00a0b \n\t c', 'a b\nc'],
  ['lines that show nothing', 'a\n \n\u200b\n\nb', 'a\n\nb'],
  ['empty lines around', '\n\na\n', 'a'],
  ['nothing', '\n\u200b\n', ''],
])('a text of several lines has one form of %s', (_, given, normalized) => {
  expect(normalizeLines(given)).toBe(normalized);
});

test.each([
  ['spaces and invisible characters', ' https://a.example/x\u200b\n', 'https://a.example/x'],
  ['letters as they were composed', 'https://a.example/e\u0301', 'https://a.example/e\u0301'],
  ['white space within, to be refused', 'https://a.example/ x\ny', 'https://a.example/ x\ny'],
  ['joiners that a script needs', 'https://a.example/می\u200cخواهم', 'https://a.example/می\u200cخواهم'],
])('an address has one form: %s', (_, given, normalized) => {
  expect(normalizeAddress(given)).toBe(normalized);
});

test('a letter keeps the marks of any language, and piles of marks are cut', () => {
  const piled = (marks: number) => `e${'\u0301\u0323'.repeat(marks / 2)}`;
  expect(normalizeText(piled(20))).toBe(piled(20).normalize('NFC'));
  expect([...normalizeText(piled(400_000)).normalize('NFD')]).toHaveLength(31);
});
