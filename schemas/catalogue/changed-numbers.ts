/*
 * Files may have numbers that JavaScript cannot hold: numbers beyond 1.8e308, and many whole numbers beyond 2^53.
 * `details` are kept unchanged, so none of their numbers may change unnoticed.
 */

/** A number of a JSON text that JavaScript cannot hold. Takes its place in the parsed value. */
export class ChangedNumber {
  /** The number as written. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Matches every text with such a number: one with 16 digits, or with an exponent of three digits. Other texts
 * are parsed without a reviver, which takes five times as long.
 */
const MAY_CHANGE = /[:,[]\s*-?(?:[0-9]{16}|[0-9.]+e\+?[0-9]{3})/i;

/**
 * Parses JSON like `JSON.parse`, but replaces numbers that would change with a `ChangedNumber`: numbers that
 * are too large, and whole numbers that would get other digits. Fractions are rounded as usual.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseUnchanged(text: string): unknown {
  return MAY_CHANGE.test(text) ? JSON.parse(text, markChanged) : JSON.parse(text);
}

function markChanged(_name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined && isChanged(context.source, value)
    ? new ChangedNumber(context.source)
    : value;
}

function isChanged(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return true;
  if (Number.isSafeInteger(value) || !/^-?[0-9]+$/.test(source)) return false;
  return String(value) !== source && BigInt(value) !== BigInt(source);
}

/** Matches texts, and the numbers outside of them that may change. */
const TEXT_OR_LONG_NUMBER =
  /"[^"\\]*(?:\\.[^"\\]*)*"|(?<=[:,[\s])-?(?:[0-9]{16}|[0-9.]+e\+?[0-9]{3})[0-9.e+-]*/gi;

/**
 * The first number that `parseUnchanged` would mark, as it is written; null if it would mark none. Its cost is small for
 * every text.
 *
 * @param text a JSON text
 */
export function findChangedNumber(text: string): string | null {
  if (!MAY_CHANGE.test(text)) return null;
  for (const [found] of text.matchAll(TEXT_OR_LONG_NUMBER)) {
    if (!found.startsWith('"') && isChanged(found, Number(found))) return found;
  }
  return null;
}
