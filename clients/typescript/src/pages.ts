import type { Page } from './types.ts';

/** The most records of a page (specification, "Limits"). */
export const MAX_PAGE_SIZE = 500;

/**
 * The records of a paged list, one after another. It reads a page when the previous records are used up.
 *
 * @param readPage reads the page at a cursor; null asks for the first
 */
export async function* readRecords<Item>(
  readPage: (cursor: string | null) => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  for (let cursor: string | null = null; ; ) {
    const { data, next_cursor }: Page<Item> = await readPage(cursor);
    yield* data;
    if (next_cursor === null) return;
    cursor = next_cursor;
  }
}
