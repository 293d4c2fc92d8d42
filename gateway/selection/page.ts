import { InvalidCursorError } from '../../schemas/cursor.ts';
import { formatPageCursor, type PageState, parsePageCursor } from '../../schemas/page-cursor.ts';
import type { Page } from '../../store/reads/page.ts';
import { ApiError } from '../http/api-error.ts';

/** The kinds of the parts of a page's state, in their order. */
type StateForm = readonly ('string' | 'number')[];

/**
 * Where a page begins, out of the `cursor` parameter; null for the first page.
 *
 * @param form what the state of this list consists of; a cursor of another form was not made by it.
 * @throws ApiError invalid_parameter when the cursor is none of this list.
 */
export function readPageState(list: string, cursor: string | undefined, form: StateForm): PageState | null {
  if (cursor === undefined) return null;
  try {
    const state = parsePageCursor(list, cursor);
    if (state.length === form.length && state.every((part, index) => typeof part === form[index]))
      return state;
    throw new InvalidCursorError('it does not have the form of one');
  } catch (error) {
    if (!(error instanceof InvalidCursorError)) throw error;
    const message = `cursor is no cursor of this list: ${error.message}. Send the next_cursor of the page before.`;
    throw new ApiError('invalid_parameter', message);
  }
}

/**
 * The body of a page: `data`, `next_cursor`, and what else the list carries.
 *
 * @param carried parts of the state behind the sort keys, which every page of one listing hands to the next.
 */
export function renderPage(
  list: string,
  { items, last, hasMore }: Page,
  { carried = [], extra = {} }: { carried?: PageState; extra?: object } = {},
): string {
  const next_cursor = hasMore && last ? formatPageCursor(list, [...last, ...carried]) : null;
  return `{"data":[${items}],${JSON.stringify({ next_cursor, ...extra }).slice(1)}`;
}
