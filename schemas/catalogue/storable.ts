import { joinField, MAX_PROBLEMS, type Problem, shorten } from '../problems.ts';
import { ChangedNumber } from './changed-numbers.ts';

/** Deeper than any catalogue record, and too shallow to exhaust the stack. */
const MAX_DEPTH = 64;

/**
 * The parts of a JSON value that cannot be stored unchanged: NUL characters and lone surrogates, in texts and
 * in names of fields; nesting that is too deep; and the numbers that `parseUnchanged` has marked. Stops after
 * MAX_PROBLEMS of them.
 */
export function unstorableParts(value: unknown): Problem[] {
  const problems: Problem[] = [];
  visit(value, null, 0, problems);
  return problems;
}

/** Whether a JSON value can be stored unchanged. */
export function isStorable(value: unknown): boolean {
  return unstorableParts(value).length === 0;
}

/** The text as it can be stored: with replacements for NUL characters and lone surrogates. */
export const makeStorable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

function visit(value: unknown, field: string | null, depth: number, problems: Problem[]): void {
  if (problems.length >= MAX_PROBLEMS) return;
  if (typeof value === 'string') {
    const message = unstorableText(value);
    if (message) problems.push({ field, message });
  } else if (value instanceof ChangedNumber) {
    const message = `must be a number that can be kept exactly, is ${shorten(value.source)}; to keep it, write it as text`;
    problems.push({ field, message });
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) {
      problems.push({ field, message: `is nested more than ${MAX_DEPTH} levels deep` });
      return;
    }
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, joinField(field, index), depth + 1, problems);
      });
    } else {
      for (const [name, item] of Object.entries(value)) {
        const message = unstorableText(name);
        if (message) problems.push({ field, message: `has a field whose name ${message}` });
        else visit(item, joinField(field, name), depth + 1, problems);
      }
    }
  }
}

function unstorableText(text: string): string | null {
  if (text.includes('\0')) return 'holds a NUL character (\\u0000), which cannot be stored';
  if (!text.isWellFormed()) return 'holds half of a surrogate pair, which is not a character';
  return null;
}
