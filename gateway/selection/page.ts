import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import { InvalidCursorError } from '../../schemas/cursor.ts';
import { PERSON_ID } from '../../schemas/http/officeholders.ts';
import {
  formatPageCursor,
  type Listing,
  type PageState,
  parsePageCursor,
} from '../../schemas/page-cursor.ts';
import type { Page } from '../../store/reads/page.ts';
import { ApiError } from '../http/api-error.ts';
import { encodeTexts } from '../http/content.ts';

/** The types of the parts of a page's state, in order. Forged cursors can hold any text, so some are checked. */
type StateForm = readonly ('string' | 'number' | 'date' | 'personId')[];

const PERSON = new RegExp(PERSON_ID);

function fits(part: PageState[number] | undefined, type: StateForm[number] | undefined): boolean {
  if (type === 'date') return typeof part === 'string' && isCalendarDate(part);
  if (type === 'personId') return typeof part === 'string' && PERSON.test(part);
  return typeof part === type;
}

/**
 * Reads the `cursor` parameter of a list. Returns null for the first page.
 *
 * @param form the types of this list's state
 * @throws ApiError invalid_parameter if the cursor is not from this listing.
 */
export function readPageState(
  listing: Listing,
  cursor: string | undefined,
  form: StateForm,
): PageState | null {
  if (cursor === undefined) return null;
  try {
    const state = parsePageCursor(listing, cursor);
    if (state.length === form.length && form.every((type, index) => fits(state[index], type))) return state;
    throw new InvalidCursorError('it has the wrong form');
  } catch (error) {
    if (!(error instanceof InvalidCursorError)) throw error;
    const message =
      `cursor is not a cursor of this list: ${error.message}. ` +
      'Send the next_cursor of the previous page, with the same filters and lang; only limit may differ.';
    throw new ApiError('invalid_parameter', message);
  }
}

/** The slugs of the records on a page. */
export function slugsOf({ items }: Page): string[] {
  return (JSON.parse(`[${items}]`) as { slug: string }[]).map(({ slug }) => slug);
}

/** Renders the body of a page. @param stream_cursor if the list has one, which every page passes on to the next */
export function renderPage(listing: Listing, { items, last, hasMore }: Page, stream_cursor?: string): Buffer {
  const carried = stream_cursor === undefined ? [] : [stream_cursor];
  const next_cursor = hasMore && last ? formatPageCursor(listing, [...last, ...carried]) : null;
  return encodeTexts(['{"data":[', items, `],${JSON.stringify({ next_cursor, stream_cursor }).slice(1)}`]);
}
