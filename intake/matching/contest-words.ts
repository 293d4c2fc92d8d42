import { STATE_CODES } from '../../schemas/vocabulary.ts';
import { readParty } from './parties.ts';
import { foldWords } from './words.ts';

/** The words by which contests and districts are compared. */
export interface ContestWords {
  words: ReadonlySet<string>;
  /** The party of a primary: `Governor (D)`. */
  party: string | null;
  /** Whether it says primary. */
  isPrimary: boolean;
  /** The chamber that the short name of a district stands for: `CD 12`, `CA-12`. */
  chamber: string | null;
}

/** A state's name and code, folded. */
export interface StateWords {
  name: string;
  code: string;
}

/** Ways to write one office or kind, in the order in which they are replaced. */
const SAME: readonly (readonly [RegExp, string])[] = [
  [/ united states( of america)? /g, ' us '],
  [/ u s /g, ' us '],
  [/ v(ice)? ?p(res)? /g, ' vice president '],
  [
    / (electors? (for|of)( the)? )?(us )?pres(ident(ial)?)?( electors?)?( of( the)? us)?( (and )?vice president( of( the)? us)?)? /g,
    ' president ',
  ],
  [
    / us (house of representatives|house|representatives?|rep|congress(man|woman|person|member)?) /g,
    ' ushouse ',
  ],
  [/ ((rep|representatives?) (in|to) congress|congress(man|woman|person|member|ional)?) /g, ' ushouse '],
  [/ assembly ?(member|man|woman|person) | asm /g, ' assembly '],
  [/ us (senate|senator|sen) /g, ' ussenate '],
  [/ (state|st) (senate|senator|sen) /g, ' statesenate '],
  [/ house of delegates | (state |st )?delegates?(?= (district|dist|dst|hd|[0-9]))/g, ' statehouse '],
  [/ (state|st) (house of representatives|house|representatives?|rep|assembly) /g, ' statehouse '],
  [/ house of representatives /g, ' house '],
  [/ council ?(member|man|woman|person|or)s? | councill?ors? /g, ' council '],
  [/ (lt|lieut) (gov|governor) /g, ' lieutenant governor '],
  [/ (cong|leg) dist(rict)? /g, ' district '],
  [/ large dist(rict)? /g, ' large '],
];
/** Words and their short and other forms. */
const FORMS = `
proposition prop props | measure meas | amendment amend | district dist dst | position pos | number num nbr |
governor gov | attorney atty attn ag | general genl gen | secretary secy sec | insurance ins | superintendent supt |
controller comptroller comptroll | president pres | senate senator sen | supervisor supervisors supe supes |
commissioner commissioners commission comm | judge judges | justice justices | trustee trustees | director directors dir |
board bd | county co | department dept | education ed | university univ | school schools`;
const WORDS = new Map(
  FORMS.split('|').flatMap((group) => {
    const [word = '', ...forms] = group.trim().split(' ');
    return forms.map((form) => [form, word] as const);
  }),
);
/** The words of a chamber, and the short ones that may mean it, or another chamber. */
const CHAMBERS = new Map<string, { shown: string; short: readonly string[] }>([
  ['ushouse', { shown: 'U.S. House', short: ['house'] }],
  ['ussenate', { shown: 'U.S. Senate', short: ['senate'] }],
  ['statehouse', { shown: 'State House or Assembly', short: ['house', 'assembly'] }],
  ['statesenate', { shown: 'State Senate', short: ['senate'] }],
]);
/** Words that may be left out. */
const OPTIONAL = new Set(
  'of the for and in at to a an on member members candidate race primary general election all party nonpartisan number statewide'.split(
    ' ',
  ),
);
/** The parties that a name can have without brackets: `Democratic Primary, Governor`. */
const PRIMARY_PARTIES = new Set(['democratic', 'republican', 'libertarian', 'green']);
/** Words that a number or letter belongs to. */
const UNITS = new Set(
  (
    'district ward seat proposition measure position place division department office precinct zone area section amendment ' +
    'initiative question referendum post group part issue subdistrict circuit trustee'
  ).split(' '),
);
/** Those that name measures. One state's Proposition 2 is another's Measure 2. */
export const MEASURE_UNITS = 'proposition measure amendment initiative question referendum issue'.split(' ');
const MEASURE_WORD = new RegExp(`\\b(?:props?|${MEASURE_UNITS.join('|')})\\b`, 'i');
/** Whether a text has a word such as Proposition. */
export const hasMeasureWord = (text: string): boolean => MEASURE_WORD.test(text);
/** Several measures after one word: `Props 51, 52`, `Measures B and C`. An A in second place is an article. */
const LISTED = new RegExp(
  `\\b(props?|${MEASURE_UNITS.join('s?|')}s?)\\.?\\s+([0-9]+|[a-z]{1,2})\\s*(?:,|/|&|\\band|\\bthrough|\\bto)\\s*(?=[0-9]|([b-z])\\3?\\b)`,
  'gi',
);
/** Repeats the word before the second of several measures. A small letter is not one: `Measure B, y Parques`. */
const repeatUnit = (found: string, unit: string, code: string, letter = ''): string =>
  letter === letter.toUpperCase() ? `${unit} ${code}, ${unit} ` : found;
/** The letter of a measure or a seat, which may be doubled: A, RR. */
const LETTERS = /^([a-z])\1?$/;
/** Between a number and its letter: 1-A, and at the end of a name `1 A`: there it is not an article. */
const BEFORE_LETTER = /(?<=\d)(?:[-–](?=[a-z]\b)|[\s(]+(?=a\)?\s*$))/giu;
const CHAMBER_DISTRICT = /^(?:cd|hd|sd|ad|ld|d)$/;
/** The chambers of such districts, if one has them. */
const CHAMBER_OF = new Map([
  ['cd', 'ushouse'],
  ['hd', 'statehouse'],
  ['ad', 'statehouse'],
  ['sd', 'statesenate'],
]);
/** The district of a whole state, without the `at` before it. */
export const AT_LARGE = 'large';
const CARDINALS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const ORDINALS =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ');
const STATES = new Set<string>(STATE_CODES.map((code) => code.toLowerCase()));

/** A word as a number without leading zeros, and whether it is an ordinal; null for other words. */
function readNumber(word: string): { value: string; ordinal: boolean } | null {
  const [, digits, suffix] = /^0*([0-9]+)(st|nd|rd|th)?$/.exec(word) ?? [];
  if (digits !== undefined) return { value: digits, ordinal: suffix !== undefined };
  if (ORDINALS.includes(word)) return { value: String(ORDINALS.indexOf(word)), ordinal: true };
  return CARDINALS.includes(word) ? { value: String(CARDINALS.indexOf(word)), ordinal: false } : null;
}

/** `ca12` and `d12` are two words. */
function splitWord(word: string): string[] {
  const [, letters = '', digits = ''] = /^([a-z]{1,2})([0-9]+)$/.exec(word) ?? [];
  return STATES.has(letters) || CHAMBER_DISTRICT.test(letters) ? [letters, digits] : [word];
}

/** The chamber of a district that a name begins with, by its short name: `CD 12`, `CA-12`, `VT-AL`, `CA-SEN`. */
function findChamber(words: readonly string[], state: StateWords): string | null {
  const [first = '', second = ''] = words.filter((word) => word === state.code || !OPTIONAL.has(word));
  if (first === state.code && second === 'sen') return 'ussenate';
  if (readNumber(second) === null && second !== AT_LARGE) return null;
  return first === state.code ? 'ushouse' : (CHAMBER_OF.get(first) ?? null);
}

/** Joins each number with the word that it belongs to: `12th district`, `district 12` and `d-12` are `district12`. */
function joinNumbers(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < words.length; ) {
    const { as, count } = joinFirst(words.slice(at, at + 3), joined.at(-1) ?? '');
    joined.push(...as);
    at += count;
  }
  return joined;
}

/** Joins the first of some words. @returns the joined words, and the number of words that they replace */
function joinFirst(
  [word = '', next = '', third = '']: readonly string[],
  before: string,
): { as: string[]; count: number } {
  const number = readNumber(word);
  if (number?.ordinal && UNITS.has(next)) return { as: [`${next}${number.value}`], count: 2 };
  if (number?.ordinal && next === 'ushouse') {
    return { as: ['ushouse', `district${number.value}`], count: third === 'district' ? 3 : 2 };
  }
  if (number) return { as: [`district${number.value}`], count: 1 };
  const following = readNumber(next);
  const isUnit = UNITS.has(word);
  if (isUnit && following?.ordinal === false) return { as: [`${word}${following.value}`], count: 2 };
  if (isUnit && LETTERS.test(next)) return { as: [`${word}${next}`], count: 2 };
  // After a unit, a d is its letter.
  const isDistrict = CHAMBER_DISTRICT.test(word) && !(word === 'd' && UNITS.has(before));
  if (isDistrict && following) return { as: [`district${following.value}`], count: 2 };
  return { as: [word], count: 1 };
}

/** Takes parties in brackets out of a name: `Governor (D)`. @returns the other text, and the first party */
function takeParty(name: string): { text: string; party: string | null } {
  let party: string | null = null;
  const text = name.replace(/[([]([^)\]]*)[)\]]/gu, (found, inner: string) => {
    const named = readParty(inner.replace(/\bprimary\b/i, ''));
    if (named === null) return ` ${found} `;
    party ??= named;
    return ' ';
  });
  return { text, party };
}

/** The words of a name, with `CA12` and `VT-AL` as people say them. */
function readWords(name: string, state: StateWords): string[] {
  const words = foldWords(name).flatMap(splitWord);
  return words.map((word, at) => (word === 'al' && words[at - 1] === state.code ? AT_LARGE : word));
}

/** A heading such as `Propositions` is not Proposition S. */
const singularOf = (word: string): string =>
  word.endsWith('s') && UNITS.has(word.slice(0, -1)) ? word.slice(0, -1) : word;

/** Whether a word is the `No.` of a number, or of a letter after a unit. Any other one is an answer: `Prop 2 - No`. */
function isNumberSign(words: readonly string[], at: number): boolean {
  const [before = '', word, next = ''] = [words[at - 1], words[at], words[at + 1]];
  const isOfLetter = LETTERS.test(next) && UNITS.has(WORDS.get(before) ?? before);
  return word === 'no' && (readNumber(next) !== null || isOfLetter);
}

/** Writes each word and office of a name in its one form, without the state. */
function unifyWords(given: readonly string[], state: StateWords): string[] {
  // Without an apostrophe, `Ohio's` is `ohios`.
  let text = ` ${given.join(' ')} `.replaceAll(` ${state.name} `, ' ').replaceAll(` ${state.name}s `, ' ');
  // Twice, because two neighbours share the space between them, and the first time only one of them is found.
  for (const [pattern, same] of SAME) text = text.replace(pattern, same).replace(pattern, same);
  return text
    .trim()
    .split(' ')
    .filter((word, at, all) => word !== '' && word !== state.code && !isNumberSign(all, at))
    .map((word) => WORDS.get(word) ?? singularOf(word))
    .filter((word) => word !== 'number');
}

/**
 * Reads the words of a contest's or district's name. The name of its state, and small words, are left out, because one
 * source has them and another does not.
 */
export function readContestWords(name: string, state: StateWords): ContestWords {
  const { text, party } = takeParty(name.replace(BEFORE_LETTER, '').replace(LISTED, repeatUnit));
  const written = readWords(text, state);
  const given = unifyWords(written, state);
  const isPrimary = given.includes('primary');
  const isItsParty = (word: string) => isPrimary && PRIMARY_PARTIES.has(word);
  const joined = joinNumbers(given);
  const words = joined.filter((word) => !isItsParty(word) && !OPTIONAL.has(word));
  return {
    words: new Set(words),
    party: party ?? joined.find(isItsParty) ?? null,
    isPrimary: /\bprimary\b/i.test(name),
    chamber: findChamber(written, state),
  };
}

/** The short words that may mean one of these words: `Assembly` may mean the State Assembly. */
export const shortWordsOf = (words: Iterable<string>): string[] =>
  [...words].flatMap((word) => CHAMBERS.get(word)?.short ?? []);

/** Whether one name has a chamber that the other lacks. */
export const hasOtherChamber = (words: ReadonlySet<string>, known: ReadonlySet<string>): boolean =>
  [...words].some((word) => CHAMBERS.has(word) && !known.has(word));

/** Whether the words of a contest are of the U.S. House, and of no numbered district. */
export const isOnlySeat = (words: readonly string[]): boolean =>
  words.includes('ushouse') && !words.some((word) => unitOf(word) === 'district');

/** The words without those of chambers: the place in the name of a district. */
export const placeWordsOf = (words: ReadonlySet<string>): ReadonlySet<string> => words.difference(CHAMBERS);

/** Words for a message, with the usual names of chambers, and numbers apart from their units. */
export const showWords = (words: Iterable<string>): string =>
  [...words].map((word) => CHAMBERS.get(word)?.shown ?? showUnit(word)).join(' ');

function showUnit(word: string): string {
  const unit = unitOf(word);
  return unit === null ? word : `${unit} ${word.slice(unit.length)}`;
}

/** The unit of a word with its number or letter, such as `district` of `district12`; null for other words. */
export function unitOf(word: string): string | null {
  const [, unit = ''] = /^([a-z]+?)[0-9]+$/.exec(word) ?? [];
  if (UNITS.has(unit)) return unit;
  return (
    [-2, -1]
      .map((end) => [word.slice(0, end), word.slice(end)] as const)
      .find(([name, letters]) => UNITS.has(name) && LETTERS.test(letters))?.[0] ?? null
  );
}

/** The same words with the unit under which a measure is known, if it has the same number or letter. */
export function renameMeasure(words: ReadonlySet<string>, known: ReadonlySet<string>): ReadonlySet<string> {
  const renamed = [...words].map((word) => {
    const unit = unitOf(word);
    if (unit === null || !MEASURE_UNITS.includes(unit)) return word;
    const code = word.slice(unit.length);
    const same = MEASURE_UNITS.map((name) => `${name}${code}`).find((other) => known.has(other));
    return same ?? word;
  });
  return new Set(renamed);
}

/** The code of the state with which a text begins the name of a district: `CA-12`, `VT-AL`; null without one. */
export function stateInDistrict(text: string): string | null {
  const [state = '', number = ''] = foldWords(text).flatMap(splitWord);
  const isDistrict = readNumber(number) !== null || ['al', 'sen', 'gov'].includes(number);
  // SD is also a district of a state's senate.
  return isDistrict && state !== 'sd' && STATES.has(state) ? state : null;
}
