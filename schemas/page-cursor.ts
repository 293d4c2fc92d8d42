import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { InvalidCursorError } from './cursor.ts';

/** The end of a page, from which the next page continues. Numbers are integers. */
export type PageState = readonly (string | number | null)[];

/** The listing that a page belongs to. Its cursors are valid for it alone. */
export interface Listing {
  /** The list's name. */
  list: string;
  /** A digest of the parameters that choose the records and their language. */
  selection: string;
}

/** The parameters of a list, by name. */
type Parameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Enough characters of a digest to keep the selections of a client apart. */
const DIGEST_CHARACTERS = 16;

/**
 * Describes the listing of a request: every parameter counts except `limit` and `cursor`. The order of
 * parameters and of their values does not matter. Repeated values count once, and false counts as absent.
 */
export function describeListing(list: string, { limit: _, cursor: __, ...selecting }: Parameters): Listing {
  const chosen = Object.entries(selecting)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].sort() : value])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  const digest = hash('sha256', JSON.stringify(chosen), 'base64url');
  return { list, selection: digest.slice(0, DIGEST_CHARACTERS) };
}

function checksum(text: string): string {
  return crc32(text).toString(32).padStart(7, '0');
}

/** The `next_cursor` of a listing: its name, its selection and the state as base64url JSON, and a checksum. */
export function formatPageCursor({ list, selection }: Listing, state: PageState): string {
  const text = Buffer.from(JSON.stringify([list, selection, ...state])).toString('base64url');
  return `${text}.${checksum(text)}`;
}

/** The values of a base64url text; undefined if it does not hold a state. Clients can forge the checksum. */
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

/** Parses the `next_cursor` of a listing. @throws InvalidCursorError if the text is not a cursor of this listing. */
export function parsePageCursor({ list, selection }: Listing, cursor: string): PageState {
  const [, text = '', sum] = /^([A-Za-z0-9_-]+)\.([0-9a-v]{7})$/.exec(cursor) ?? [];
  if (sum === undefined) throw new InvalidCursorError('it is not a whole next_cursor of a list');
  if (sum !== checksum(text)) throw new InvalidCursorError('it was altered or cut short');
  const values = decodeState(text);
  if (!values) throw new InvalidCursorError('it was not made by this service');
  const [name, chosen, ...state] = values;
  if (name !== list) throw new InvalidCursorError('it belongs to another list');
  if (chosen !== selection) throw new InvalidCursorError('it belongs to other filters or another lang');
  return state;
}
