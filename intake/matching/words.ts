const APOSTROPHES = /['’‘`´ʻʼ]/g;
/** Letters that Unicode does not decompose, in their usual spelling without them. */
const SPELLED: Readonly<Record<string, string>> = {
  ...{ đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ł: 'l', ø: 'o', ŧ: 't' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' },
};

/**
 * The words of a name without case, accents and punctuation: `St. Mark’s Club & Café` has `st`, `marks`, `club`, `and`
 * and `cafe`.
 */
export function foldWords(text: string): string[] {
  // Decomposed, an acute accent that serves as an apostrophe is a space.
  const plain = text.replace(APOSTROPHES, '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[đðħıłøŧßæœþ]/g, (letter) => SPELLED[letter] ?? letter)
    .replaceAll('&', ' and ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** The words of a name in one text, to compare and remember names by. */
export const foldText = (text: string): string => foldWords(text).join(' ');
