import { crc32 } from 'node:zlib';
import { InvalidCursorError } from './cursor.ts';

/** The end of a page, from which the next page continues. Numbers are integers. */
export type PageState = readonly (string | number | null)[];

function checksum(text: string): string {
  return crc32(text).toString(32).padStart(7, '0');
}

/**
 * The `next_cursor` of a list: the list's name and the state as base64url JSON, and a checksum.
 *
 * @param list the list's name, so that no other list accepts the cursor.
 */
export function formatPageCursor(list: string, state: PageState): string {
  const text = Buffer.from(JSON.stringify([list, ...state])).toString('base64url');
  return `${text}.${checksum(text)}`;
}

/** The values of a base64url text, or undefined if it holds no state. Clients can forge the checksum. */
function decodeState(text: string): PageState | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(values) && values.every(isStateValue) ? values : undefined;
  } catch {
    return undefined;
  }
}

function isStateValue(value: unknown): boolean {
  return value === null || typeof value === 'string' || Number.isSafeInteger(value);
}

/**
 * Parses the `next_cursor` of a list.
 *
 * @throws InvalidCursorError if it is not a cursor of this list.
 */
export function parsePageCursor(list: string, cursor: string): PageState {
  const [text = '', sum, ...rest] = cursor.split('.');
  if (rest.length > 0 || sum !== checksum(text)) throw new InvalidCursorError('it was altered or cut short');
  const values = decodeState(text);
  if (!values) throw new InvalidCursorError('it was not made by this service');
  const [name, ...state] = values;
  if (name !== list) throw new InvalidCursorError(`it belongs to another list`);
  return state;
}
