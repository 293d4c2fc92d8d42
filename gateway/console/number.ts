/** Formats numbers: 12,345. */
export const number = new Intl.NumberFormat('en-US');

/** A number of things with the verb of a sentence: `1 row is`, `1,234 rows are`. */
export const countThat = (count: number, noun: string, verbOfOne: string, verb: string): string =>
  count === 1 ? `1 ${noun} ${verbOfOne}` : `${number.format(count)} ${noun}s ${verb}`;
