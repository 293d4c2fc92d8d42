/** The significant digits of a decimal number. */
const digitsOf = (number: string): string =>
  number
    .replace(/e.*$/i, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');

/**
 * The first number of a JSON text that JavaScript would round, as it is written there, such as 12345678901234567890;
 * null if it keeps them all, or if the text is not JSON.
 */
export function findRoundedNumber(json: string): string | null {
  let rounded: string | null = null;
  // TypeScript does not know the third parameter yet.
  const look = (_key: string, value: unknown, { source }: { source?: string } = {}): unknown => {
    if (typeof value === 'number' && source !== undefined && digitsOf(source) !== digitsOf(String(value))) {
      rounded ??= source;
    }
    return value;
  };
  try {
    JSON.parse(json, look);
  } catch {
    return null;
  }
  return rounded;
}
