import type { ElectionType } from '../../schemas/vocabulary.ts';

/** The words that name each type, the most special first. */
const WORDS: readonly (readonly [ElectionType, RegExp])[] = [
  ['special_primary', /\bspecial\b.*\bprimary\b|\bprimary\b.*\bspecial\b|primaria.*especial/i],
  ['runoff', /\brun-? ?off\b|segunda vuelta/i],
  ['primary', /\bprimar(y|ies|ia|ias)\b|\bcaucus\b/i],
  ['special', /\bspecial\b|\brecall\b|\bespecial\b/i],
  ['consolidated', /\bconsolidated\b/i],
  ['general', /(?<!attorney )\bgenerale?s?\b(?! assembly)/i],
];

const typeOf = (words: string): ElectionType | null =>
  WORDS.find(([, pattern]) => pattern.test(words))?.[0] ?? null;

/**
 * The type that a text such as "2026 Statewide General Election" names; null if it names none. Special contests beside a
 * general election or a primary, as in "General and Special Elections", do not change its type.
 */
export function readElectionType(text: string): ElectionType | null {
  const words = text.replaceAll('_', ' ');
  const type = typeOf(words);
  if (type !== 'special' && type !== 'special_primary') return type;
  const parts = words.split(/[/&]|\b(?:and|y)\b/i).map(typeOf);
  return parts.find((part) => part === 'general' || part === 'primary') ?? type;
}

/** The type of an election on the national election day, the Tuesday after the first Monday of November; else null. */
export function defaultElectionType(date: string): ElectionType | null {
  const day = new Date(`${date}T00:00:00Z`);
  const isElectionDay =
    day.getUTCMonth() === 10 && day.getUTCDay() === 2 && day.getUTCDate() >= 2 && day.getUTCDate() <= 8;
  return isElectionDay ? 'general' : null;
}
