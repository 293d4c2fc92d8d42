import { distance } from 'fastest-levenshtein';

/** The words of a name, without case, accents and punctuation. */
function wordsOf(name: string): string[] {
  const folded = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Whether one of two words is the other's initial, or they are equal. */
const isAlike = (a: string, b: string): boolean =>
  a === b || (a.length === 1 && b.startsWith(a)) || (b.length === 1 && a.startsWith(b));

/** Whether all folded words of one name are found in the other, in order; initials stand for words. */
export function isPartOf(words: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const word of whole) if (at < words.length && isAlike(words[at] as string, word)) at += 1;
  return at === words.length;
}

/** Words at the end of a name that tell a parent from a child. */
const GENERATIONS = ['jr', 'sr', 'ii', 'iii', 'iv', '2nd', '3rd', '4th'];

/** Whether two names end with different generations: a parent and a child. */
function isOtherGeneration(old: readonly string[], corrected: readonly string[]): boolean {
  const [a, b] = [old, corrected].map((words) => GENERATIONS.indexOf(words.at(-1) ?? ''));
  return a !== -1 && b !== -1 && a !== b;
}

/** Letters that may differ in a name of so many letters or more, the strictest last. */
const TYPOS = [
  { letters: 8, most: 2 },
  { letters: 4, most: 1 },
  { letters: 0, most: 0 },
];

/**
 * Whether a candidate's new name corrects the old one, and does not name another person (INV-16; contract,
 * "Candidates"):
 * - they differ only in case, accents, spaces and punctuation,
 * - one has all words of the other, in order, and initials stand for words: "Joe Biden" and "Joseph R. Biden" differ in
 *   a word, "Joe Biden" and "J. R. Biden" do not; or
 * - one letter differs in a name of four letters or more, or two in a name of eight.
 *
 * Names of different generations, such as "Sr." and "Jr.", are two people.
 */
export function isNameCorrection(before: string, after: string): boolean {
  const [old, corrected] = [wordsOf(before), wordsOf(after)];
  if (isOtherGeneration(old, corrected)) return false;
  const [few, many] = old.length <= corrected.length ? [old, corrected] : [corrected, old];
  // A name of initials alone would be part of many names.
  const haveWords = [few, many].every((words) => words.some((word) => word.length > 1));
  if (haveWords && isPartOf(few, many)) return true;
  const [a, b] = [old.join(''), corrected.join('')];
  const letters = Math.min(a.length, b.length);
  const most = TYPOS.find((rule) => letters >= rule.letters)?.most ?? 0;
  return distance(a, b) <= most;
}
