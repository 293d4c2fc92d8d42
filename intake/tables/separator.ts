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

/** Recognises the separator by the header: the one that it has most of, outside of quotation marks. */
export function recogniseSeparator(text: string): Separator {
  const counts = new Map<string, number>(SEPARATORS.map((separator) => [separator, 0]));
  let quoted = false;
  let begun = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') {
      if (begun) break;
      continue;
    }
    begun = true;
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
  }
  const best = SEPARATORS.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))[0] ?? ',';
  return (counts.get(best) ?? 0) > 0 ? best : ',';
}
