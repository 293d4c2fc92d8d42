import { normalizeText } from '../../schemas/text.ts';
import type { VoteMethod } from '../../schemas/vocabulary.ts';

const YES =
  /^(yes|y|s[ií]|for|in favou?r|approved?|accept(ed)?|retain|agree|(bonds?|levy|tax),? yes|for the .*|yes .*)$/i;
const NO =
  /^(no|n|against|opposed?|reject(ed)?|do not retain|not retain|disagree|disapproved?|(bonds?|levy|tax),? no|against the .*|no (?!candidate|nomin).*)$/i;

/** The answer that the words of a choice give to the question of a measure; null for other words. */
export function answerOfLabel(label: string): 'yes' | 'no' | null {
  const words = normalizeText(label).replace(/[.!]$/, '');
  if (NO.test(words)) return 'no';
  return YES.test(words) ? 'yes' : null;
}

/** Whether the words stand for none of the candidates. */
export const isNoneOfThese = (label: string): boolean =>
  /^none of (these|the above)( candidates| choices)?$/i.test(normalizeText(label));

/** The choices of a question whose source lists none. */
export const YES_AND_NO = [
  { key: 'yes', label: 'Yes', label_es: 'Sí', measure_answer: 'yes' as const },
  { key: 'no', label: 'No', label_es: 'No', measure_answer: 'no' as const },
];

const NUMBERS = 'one two three four five six seven eight nine'.split(' ');
const NUMBER = `(\\d{1,2}|${NUMBERS.join('|')})`;
const SEATS = [
  new RegExp(`\\b(?:vote for|choose|elect)(?: up to| at most| any| (?:no|not) more than)? ${NUMBER}\\b`, 'i'),
  new RegExp(`\\b${NUMBER} (?:seats|to be elected)\\b`, 'i'),
];

/** The number of seats that a title names: `City Council (Vote for up to three)`; null if it names none. */
export function seatsOfTitle(title: string): number | null {
  const found = SEATS.map((pattern) => pattern.exec(title)?.[1]?.toLowerCase()).find(Boolean);
  if (found === undefined) return null;
  return NUMBERS.includes(found) ? NUMBERS.indexOf(found) + 1 : Number(found) || null;
}

/** How voters mark a contest for offices with so many seats, where the source does not say. */
export const methodOfSeats = (seats: number | null): VoteMethod =>
  seats !== null && seats > 1 ? 'multi_seat' : 'plurality';
