import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  type Cursor,
  formatCursor,
  formatEventId,
  InvalidCursorError,
  parseCursor,
} from '../../schemas/cursor.ts';

interface Example {
  what: string;
  text: string;
  written: Cursor;
  /** The cursor as parsed, if it was rounded. */
  read?: Cursor;
}

/** Clients store cursors, so every version of the service must format and parse these in the same way. */
const {
  ids,
  cursors,
  invalid,
}: {
  ids: Example[];
  cursors: Example[];
  invalid: { what: string; text: string; message: string }[];
} = JSON.parse(readFileSync(new URL('./cursor-examples.json', import.meta.url), 'utf8'));

test.each(ids)('INV-3, INV-4: the id of $what never changes', ({ text, written, read = written }) => {
  expect(formatEventId(written)).toBe(text);
  expect(parseCursor(text)).toEqual(read);
});

test.each(cursors)('INV-4: the cursor of $what never changes', ({ text, written, read = written }) => {
  expect(formatCursor(written)).toBe(text);
  expect(parseCursor(text)).toEqual(read);
});

test.each(invalid)('$what is refused', ({ text, message }) => {
  expect(() => parseCursor(text)).toThrow(InvalidCursorError);
  expect(() => parseCursor(text)).toThrow(message);
});
