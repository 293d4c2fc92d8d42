/** The character between the cells of a row. */
export type Separator = ',' | ';' | '\t';

/** The names of the separators for people. */
export const SEPARATOR_NAMES: Readonly<Record<Separator, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
};

/** The separators; the earlier ones are rarer within words, and win a tie. */
const SEPARATORS: readonly Separator[] = ['\t', ';', ','];

/** The most rows above a header that are titles, and the fewest names of columns below them. */
export const MAX_TITLES = 10;
export const MIN_NAMES_BELOW = 3;

/**
 * Recognises the separator by the header: the one that it has most of, outside of quotation marks. The header is the
 * first line, or below titles without any separator the first line with several of one.
 */
export function recogniseSeparator(text: string): Separator {
  let titles = 0;
  for (const counts of countSeparators(text)) {
    const countOf = (separator: Separator) => counts.get(separator) ?? 0;
    const best = SEPARATORS.toSorted((a, b) => countOf(b) - countOf(a))[0] ?? ',';
    if (countOf(best) >= (titles === 0 ? 1 : MIN_NAMES_BELOW - 1)) return best;
    titles += 1;
    if (titles > MAX_TITLES) break;
  }
  return ',';
}

/** The number of each separator outside of quotation marks, by line, without empty lines. */
function* countSeparators(text: string): Generator<ReadonlyMap<string, number>> {
  let counts = new Map<string, number>();
  let quoted = false;
  let begun = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') {
      if (begun) yield counts;
      counts = new Map();
      begun = false;
      continue;
    }
    begun = true;
    if (SEPARATORS.some((separator) => separator === character)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  if (begun) yield counts;
}
