import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { type Cursor, formatCursor, InvalidCursorError, parseCursor } from '../../schemas/cursor.ts';

/** Clients store ids, so every version of the service must format and parse these in the same way. */
const {
  valid,
  invalid,
}: {
  valid: { what: string; text: string; written: Cursor; read?: Cursor }[];
  invalid: { what: string; text: string; message: string }[];
} = JSON.parse(readFileSync(new URL('./cursor-examples.json', import.meta.url), 'utf8'));

test.each(valid)('INV-3, INV-4: the text of $what stays as it is', ({ text, written, read = written }) => {
  expect(formatCursor(written)).toBe(text);
  expect(parseCursor(text)).toEqual(read);
});

test.each(invalid)('$what is refused', ({ text, message }) => {
  expect(() => parseCursor(text)).toThrow(InvalidCursorError);
  expect(() => parseCursor(text)).toThrow(message);
});
