declare global {
  interface JSON {
    /** TypeScript does not know it yet. */
    rawJSON(text: string): unknown;
  }
}

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

/** Matches every object or list with a number that JavaScript may write otherwise. Others are parsed much faster. */
const MAY_DIFFER = /[:,[]\s*(?:-0|-?[0-9]+[.e]|-?[0-9]{16})/i;

/**
 * Parses an object or a list so that `JSON.stringify` writes each number as it was written, such as 1.50 or
 * 12345678901234567890. Use the value for nothing else.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseAsWritten(json: string): unknown {
  const keep = (_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown =>
    typeof value === 'number' && source !== String(value) ? JSON.rawJSON(source) : value;
  return MAY_DIFFER.test(json) ? JSON.parse(json, keep) : JSON.parse(json);
}
