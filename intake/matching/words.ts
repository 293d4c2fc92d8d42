const APOSTROPHES = /['’‘`´ʻʼ]/g;

/**
 * The words of a name without case, accents and punctuation: `St. Mark’s Club & Café` has `st`, `marks`, `club`, `and`
 * and `cafe`.
 */
export function foldWords(text: string): string[] {
  // Decomposed, an acute accent that serves as an apostrophe is a space.
  const plain = text.replace(APOSTROPHES, '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replaceAll('&', ' and ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** The words of a name in one text, to compare and remember names by. */
export const foldText = (text: string): string => foldWords(text).join(' ');
