import { foldWords } from '../matching/words.ts';
import { foldName } from './columns.ts';

/** The answer that a person wrote about a choice or a measure. */
export type Answer = 'yes' | 'no' | 'nothing';

const WORDS: Readonly<Record<Answer, string>> = {
  yes:
    'yes|y|yea|aye|true|x|support|supports|supported|for|in favor|favor|approve|approved|pass|vote yes|yes on|endorse|endorses|' +
    'endorsed|recommended|retain|si|endorsement|sole endorsement|dual endorsement|co endorsement|co endorsed|early endorsement|' +
    'recommend|recommends|strong yes|strong support|strongly support|strongly endorse',
  no:
    'no|n|nay|false|oppose|opposes|opposed|against|not in favor|disapprove|reject|defeat|vote no|no on|do not retain|' +
    'dont retain|not retain|remove|strong no|strongly oppose|vote against|do not support|dont support',
  nothing:
    'no endorsement|no endorsements|no position|no recommendation|none|neutral|na|n a|not applicable|abstain|abstained|' +
    'did not endorse|not endorsed|undecided|pending|tbd|no consensus|split|open|no endorsement made|declined|declined to endorse|' +
    'withdrawn|rescinded|revoked|retracted|endorsement withdrawn|endorsement rescinded|unendorsed|no longer endorsed',
};
const ANSWERS = new Map(
  Object.entries(WORDS).flatMap(([answer, words]) =>
    words.split('|').map((word) => [word, answer as Answer] as const),
  ),
);

const CHECK_MARK = /^[✓✔☑✅]\uFE0F?$/u;
const DASHES = /^[\s\-–—.*/]*$/u;

/** Signs that doubt a text or undo it: a question mark, an empty box, a cross, a line through it. Check marks do neither. */
const DOUBT = /\?|\[\s*\]|~~|[\u0335-\u0338]|(?![✓✔☑✅])\p{So}/u;

/** Whether a text has a sign by which it may not mean what its words say. */
export const isDoubted = (text: string): boolean => DOUBT.test(text);

/** Reads an answer in one of the usual words: Yes, Y, Support, For…; null for any other text, which is not guessed. */
export function readAnswer(text: string): Answer | null {
  if (CHECK_MARK.test(text.trim())) return 'yes';
  if (DASHES.test(text)) return 'nothing';
  if (isDoubted(text)) return null;
  // Emphasis repeats a word: Yes, yes, yes!
  return ANSWERS.get([...new Set(foldWords(text))].join(' ')) ?? null;
}

/** The answer Yes or No with which a text begins: `No - it costs too much`. Single letters can be those of a measure. */
export function readLeadingAnswer(text: string): 'yes' | 'no' | null {
  const [words = ''] = text.split(/\s-|[–—:,;(]/, 1);
  const answer = readAnswer(words.trim().length > 1 ? words : text);
  return answer === 'nothing' ? null : answer;
}

/** Whether a text is the answer Yes or No. */
export const isYesOrNo = (text: string | null | undefined): boolean =>
  ['yes', 'no'].includes(readAnswer(text ?? '') ?? '');

/** The names of columns in which 1 means Yes and 0 means No. In others, a number may be a rank. */
const FLAG_COLUMNS = ['endorsed', 'endorse', 'endorses', 'support', 'supported', 'yes no', 'is endorsed'];

/** Whether 1 and 0 are answers in the column of this name. */
export const hasFlags = (column: string): boolean => FLAG_COLUMNS.includes(foldName(column));

/** The answer that a flag means, as a word; any other text as it is. */
export const readFlag = (text: string): string => ({ 1: 'Yes', 0: 'No' })[text] ?? text;

const RANKS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');

/** Reads a rank, as 1, `#1`, `1st` or `first choice`; null if the text is not a rank. */
export function readRank(text: string): number | null {
  const [, digits, word = ''] =
    /^(?:#\s*|no\.?\s*|rank\s*)?(?:([1-9][0-9]{0,3})(?:st|nd|rd|th)?|([a-z]+))(?: choice| pick)?$/i.exec(
      text.trim(),
    ) ?? [];
  if (digits !== undefined) return Number(digits);
  const at = RANKS.indexOf(word.toLowerCase());
  return at < 0 ? null : at + 1;
}
