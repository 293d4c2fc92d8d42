import { distance } from 'fastest-levenshtein';
import { isPartOf } from '../../domain/candidate-names.ts';
import { areNicknames } from './nicknames.ts';
import { readParty } from './parties.ts';
import { foldWords } from './words.ts';

/** A person's name in its parts, without titles and degrees. Words are folded. */
export interface PersonName {
  /** Given names, then last names. */
  words: readonly string[];
  /** The words in one text without spaces: `De Leon` and `Deleon` are one. */
  joined: string;
  /**
   * Also in one text, with a title that comes before a last name, because it can be a part of it: `Mayor Garcia, Ann`. Null
   * without one.
   */
  titled: string | null;
  /** A name in quotation marks. */
  nickname: string | null;
  /** `jr`, `sr`, `ii`… */
  generation: string | null;
  /** The party, if the text has one: `Ann Lee (D)`. */
  party: string | null;
  /** Other words in parentheses, which may tell two people apart. */
  note: string | null;
}

const TITLES = words(
  'dr hon honorable mr mrs ms miss mx rev reverend rabbi pastor father sister prof professor judge justice sen senator rep ' +
    'representative congressman congresswoman congressmember gov governor mayor sheriff supervisor supv commissioner ' +
    'councilmember councilman councilwoman councilor councillor assemblymember assemblyman assemblywoman delegate ' +
    'treasurer secretary superintendent president trustee auditor assessor controller capt captain lt sgt col gen',
);
/** Words that come before a title. */
const BEFORE_TITLES = words(
  'the former state us u s vice deputy lieutenant county city board council school chief member incumbent',
);
const DEGREES = words('esq phd md dds dvm rn cpa mba mph lcsw');
const GENERATIONS = new Map(
  Object.entries({
    ...{ jr: 'jr', junior: 'jr', sr: 'sr', senior: 'sr', ii: 'ii', iii: 'iii', iv: 'iv' },
    ...{ '2nd': 'ii', '3rd': 'iii', '4th': 'iv' },
  }),
);
/** Words in parentheses that say nothing about the person. */
const PLAIN_NOTES = words('i inc incumbent write in writein');
const QUOTED = /["“”«»]([^"“”«»]+)["“”«»]/u;

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** Letters with dots, such as `Ph.D.`, are one word. */
const joinLetters = (text: string) =>
  text.replace(/\b(ph\.?\s?d|m\.d|d\.d\.s|m\.b\.a|r\.n)\.?(?=$|[\s,)])/giu, (found) =>
    found.replace(/[.\s]/g, ''),
  );

/** Leaves out titles before a name. @param least the fewest words of the name */
function withoutTitles(given: readonly string[], least: number): readonly string[] {
  let start = 0;
  for (let at = 0; at < given.length - least; at += 1) {
    const word = given[at] as string;
    if (TITLES.has(word)) start = at + 1;
    else if (!BEFORE_TITLES.has(word)) break;
  }
  return given.slice(start);
}

/** The parts of a text that are not the name. */
interface Marks {
  party: string | null;
  generation: string | null;
  notes: string[];
}

/** Takes parties and notes in parentheses out of a text. */
function takeParentheses(text: string, marks: Marks): string {
  return text.replace(/[([]([^)\]]*)[)\]]/gu, (_, inner: string) => {
    // Lists mark incumbents with a small i. A capital one is also the party of an independent.
    const said = foldWords(inner).filter((word) => !PLAIN_NOTES.has(word));
    const party = inner.trim() === 'i' ? null : (readParty(inner) ?? readParty(said.join(' ')));
    if (party !== null) marks.party ??= party;
    else marks.notes.push(...said);
    return ' ';
  });
}

/** Takes a party after a dash out of a text: `Ann Lee - Dem`. */
function takeDashedParty(text: string, marks: Marks): string {
  return text.replace(/\s[-–—]\s*([^-–—]+)$/u, (found, inner: string) => {
    const party = readParty(inner);
    if (party === null) return found;
    marks.party ??= party;
    return '';
  });
}

/** Takes degrees, and marks such as Jr., from the end of some words. @param least the fewest words that stay */
function takeSuffixes(given: readonly string[], least: number, marks: Marks): readonly string[] {
  let end = given.length;
  for (; end > least; end -= 1) {
    const last = given[end - 1] as string;
    const generation = GENERATIONS.get(last);
    if (generation !== undefined) marks.generation ??= generation;
    else if (!DEGREES.has(last)) break;
  }
  return given.slice(0, end);
}

/** Reads the parts of a name between commas. A later part can be a party, a title or marks alone. */
function readParts(text: string, marks: Marks): (readonly string[])[] {
  return text.split(',').flatMap((part, at) => {
    const isFirst = at === 0;
    // A name can be Senior or II alone.
    const given = takeSuffixes(foldWords(part), isFirst ? 1 : 0, marks);
    if (isFirst) return given.length > 0 ? [given] : [];
    const party = readParty(part);
    if (party !== null) marks.party ??= party;
    const isTitle = given.every((word) => TITLES.has(word) || BEFORE_TITLES.has(word));
    return party !== null || isTitle ? [] : [given];
  });
}

/** Reads a person's name as people write it: `Lee, Hon. Ann M., Jr. (D)`. */
export function readPersonName(text: string): PersonName {
  const marks: Marks = { party: null, generation: null, notes: [] };
  const plain = takeDashedParty(takeParentheses(joinLetters(text), marks), marks);
  const nickname = foldWords(QUOTED.exec(plain)?.[1] ?? '').join('');
  const parts = readParts(plain.replace(QUOTED, ' '), marks);

  const [first = [], second] = parts;
  // Two parts are a last name and given names.
  const given = parts.length === 2 ? second : undefined;
  const last = given && withoutTitles(first, 1);
  const inOrder = withoutTitles(given && last ? [...given, ...last] : parts.flat(), 2);
  const found = inOrder.length > 0 ? inOrder : first;
  const hasTitle = last !== undefined && last.length < first.length;
  return {
    words: found,
    joined: found.join(''),
    titled: given && hasTitle ? withoutTitles([...given, ...first], 2).join('') : null,
    nickname: nickname || null,
    generation: marks.generation,
    party: marks.party,
    note: marks.notes.join(' ') || null,
  };
}

/** Whether a name, as a row has it, has the words of a known one. */
export const hasWordsOf = (given: PersonName, known: PersonName): boolean =>
  known.joined !== '' && [given.joined, given.titled].includes(known.joined);

/** Whether two names have marks that only two people have: Sr. and Jr., or two nicknames. */
export const areApart = (a: PersonName, b: PersonName): boolean =>
  (a.generation !== null && b.generation !== null && a.generation !== b.generation) ||
  (a.note !== null && b.note !== null && a.note !== b.note);

const firstOf = ({ words: [first = ''] }: PersonName) => first;
const lastOf = ({ words: all }: PersonName) => all.at(-1) ?? '';

/** The most words that one name can have more than another of the same person. */
const MAX_MISSING = 2;
/** The shortest word in which one letter may differ. */
const MIN_TYPO_LETTERS = 4;

function hasOneTypo(a: PersonName, b: PersonName): boolean {
  if (a.words.length !== b.words.length || a.words.length < 2) return false;
  const differing = a.words.flatMap((word, at) =>
    word === b.words[at] ? [] : [[word, b.words[at] ?? ''] as const],
  );
  const [pair] = differing;
  return (
    differing.length === 1 &&
    pair !== undefined &&
    Math.min(pair[0].length, pair[1].length) >= MIN_TYPO_LETTERS &&
    distance(...pair) === 1
  );
}

/** Says why two names are probably one person's, although they differ; null if they are not. */
export function explainClose(given: PersonName, known: PersonName): string | null {
  if (given.words.length === 0 || areApart(given, known)) return null;
  if (given.joined === known.joined) return 'the nickname differs';
  if (given.words.length === 1) return given.joined === lastOf(known) ? 'only the last name is given' : null;
  const sameLast = lastOf(given) === lastOf(known);
  const [few, many] = given.words.length <= known.words.length ? [given, known] : [known, given];
  if (many.words.length - few.words.length > MAX_MISSING) return null;
  const sameFirst = firstOf(given) === firstOf(known);
  if ((sameFirst || sameLast) && isPartOf(few.words, many.words)) {
    if (given.words.length > known.words.length) return 'it has more words than the name';
    if (!sameFirst) return 'an initial stands for a name, or a name is missing';
    const spelled = many.words.length === few.words.length;
    return spelled ? 'an initial stands for a name' : 'a middle name or another name is missing';
  }
  const nicknames = [given, known].flatMap((name) => [name.nickname, name.note]);
  if (sameLast && (nicknames.includes(firstOf(given)) || nicknames.includes(firstOf(known)))) {
    return 'a nickname stands for the name';
  }
  const middle = ({ words: all }: PersonName) => all.slice(1, -1);
  if (sameLast && areNicknames(firstOf(given), firstOf(known)) && isPartOf(middle(few), middle(many))) {
    return 'a nickname stands for the name';
  }
  if (hasOneTypo(given, known)) return 'one letter differs';
  if (given.words.toSorted().join(' ') === known.words.toSorted().join(' '))
    return 'the names are in another order';
  return null;
}
