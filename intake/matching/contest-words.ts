import { STATE_CODES } from '../../schemas/vocabulary.ts';
import { readParty } from './parties.ts';
import { foldWords } from './words.ts';

/** The words by which contests and districts are compared. */
export interface ContestWords {
  words: ReadonlySet<string>;
  /** The party of a primary: `Governor (D)`. */
  party: string | null;
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
  [
    / us (house of representatives|house|representatives?|rep|congress(man|woman|person|member)?) /g,
    ' ushouse ',
  ],
  [/ (representatives? (in|to) congress|congress(man|woman|person|member|ional)?) /g, ' ushouse '],
  [/ assembly ?(member|man|woman|person) /g, ' assembly '],
  [/ us (senate|senator|sen) /g, ' ussenate '],
  [/ (state|st) (senate|senator|sen) /g, ' statesenate '],
  [/ (state|st) (house of representatives|house|representatives?|rep|assembly) /g, ' statehouse '],
  [/ council ?(member|man|woman|person|or)s? | councill?ors? /g, ' council '],
  [/ (lt|lieut) (gov|governor) /g, ' lieutenant governor '],
  [/ (cong|leg) dist(rict)? /g, ' district '],
];
const WORDS: Readonly<Record<string, string>> = {
  ...{ prop: 'proposition', props: 'proposition', meas: 'measure', dist: 'district', dst: 'district' },
  ...{
    gov: 'governor',
    ...{ atty: 'attorney', attn: 'attorney', ag: 'attorney', genl: 'general', gen: 'general' },
    ...{ secy: 'secretary', sec: 'secretary', ins: 'insurance' },
    ...{ comptroller: 'controller', comptroll: 'controller' },
    supt: 'superintendent',
    pres: 'president',
  },
  ...{
    supervisors: 'supervisor',
    commissioners: 'commissioner',
    commission: 'commissioner',
    comm: 'commissioner',
  },
  ...{ judges: 'judge', justices: 'justice', schools: 'school', trustees: 'trustee', directors: 'director' },
  ...{
    bd: 'board',
    co: 'county',
    dept: 'department',
    ed: 'education',
    univ: 'university',
    amend: 'amendment',
  },
  ...{ senator: 'senate', pos: 'position', no: 'number', num: 'number', nbr: 'number' },
};
/** The words of a chamber, and the short ones that may mean it, or another chamber. */
const CHAMBERS: Readonly<Record<string, { shown: string; short: readonly string[] }>> = {
  ushouse: { shown: 'U.S. House', short: ['house'] },
  ussenate: { shown: 'U.S. Senate', short: ['senate'] },
  statehouse: { shown: 'State House or Assembly', short: ['house', 'assembly'] },
  statesenate: { shown: 'State Senate', short: ['senate'] },
};
/** Words that may be left out. */
const OPTIONAL = new Set(
  'of the for and in at to a an on member members candidate race primary general election all party nonpartisan number statewide'.split(
    ' ',
  ),
);
const DEMOCRATIC_REPUBLICAN = new Set(['democratic', 'republican', 'libertarian', 'green']);
/** Words that a number or letter belongs to. */
const UNITS = new Set(
  (
    'district ward seat proposition measure position place division department office precinct zone area section amendment ' +
    'initiative question referendum post group part issue subdistrict circuit trustee'
  ).split(' '),
);
/** Those that name measures. One state's Proposition 2 is another's Measure 2. */
const MEASURE_UNITS = [
  'proposition',
  'measure',
  'amendment',
  'initiative',
  'question',
  'referendum',
  'issue',
];
/** The letter of a measure or a seat, which may be doubled: A, RR. */
const LETTERS = /^([a-z])\1?$/;
const CHAMBER_DISTRICT = /^(?:cd|hd|sd|ad|ld|d)$/;
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

/** Joins each number with the word that it belongs to: `12th district`, `district 12` and `d-12` are `district12`. */
function joinNumbers(given: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] as string;
    const next = given[at + 1] ?? '';
    const number = readNumber(word);
    const following = readNumber(next);
    if (number?.ordinal && UNITS.has(next)) {
      joined.push(`${next}${number.value}`);
      at += 1;
    } else if (number?.ordinal && next === 'ushouse') {
      joined.push('ushouse', `district${number.value}`);
      at += given[at + 2] === 'district' ? 2 : 1;
    } else if (UNITS.has(word) && following !== null && !following.ordinal) {
      joined.push(`${word}${following.value}`);
      at += 1;
    } else if (UNITS.has(word) && LETTERS.test(next)) {
      joined.push(`${word}${next}`);
      at += 1;
    } else if (
      CHAMBER_DISTRICT.test(word) &&
      following !== null &&
      !(word === 'd' && UNITS.has(joined.at(-1) ?? ''))
    ) {
      joined.push(`district${following.value}`);
      at += 1;
    } else if (number !== null) joined.push(`district${number.value}`);
    else joined.push(word);
  }
  return joined;
}

/**
 * Reads the words of a contest's or district's name. The name of its state, and small words, are left out, because one
 * source has them and another does not.
 */
export function readContestWords(text: string, state: StateWords): ContestWords {
  let party: string | null = null;
  const plain = text.replace(/[([]([^)\]]*)[)\]]/gu, (found, inner: string) => {
    const named = readParty(inner.replace(/\bprimary\b/i, ''));
    if (named === null) return ` ${found} `;
    party ??= named;
    return ' ';
  });
  let folded = ` ${foldWords(plain).flatMap(splitWord).join(' ')} `;
  folded = folded.replaceAll(` ${state.name} `, ' ');
  for (const [pattern, same] of SAME) folded = folded.replace(pattern, same).replace(pattern, same);
  const given = folded
    .trim()
    .split(' ')
    .filter((word) => word !== '' && word !== state.code)
    .map((word) => WORDS[word] ?? word)
    .filter((word) => word !== 'number');
  const words = new Set<string>();
  for (const word of joinNumbers(given)) {
    if (DEMOCRATIC_REPUBLICAN.has(word) && / primary /.test(folded)) party ??= word;
    else if (!OPTIONAL.has(word)) words.add(word);
  }
  return { words, party };
}

/** The short words that may mean one of these words: `Assembly` may mean the State Assembly. */
export const shortWordsOf = (words: Iterable<string>): string[] =>
  [...words].flatMap((word) => CHAMBERS[word]?.short ?? []);

/** Words for a message, with the usual names of chambers. */
export const showWords = (words: Iterable<string>): string =>
  [...words].map((word) => CHAMBERS[word]?.shown ?? word).join(' ');

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
