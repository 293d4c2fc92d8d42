import { expect } from '@jest/globals';
import type { Answer, TestService } from './service.ts';

/** A record of a list, as far as paging looks at it. */
type Listed = Answer['body'];

/** Every record of a list, read in pages of this size; no page but that of an empty list may be empty. */
export async function readPages(
  service: TestService,
  list: string,
  limit: number,
  query = '',
): Promise<Listed[]> {
  const records: Listed[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await service.get(`${list}?limit=${limit}${query}${cursor}`);
    expect(status).toBe(200);
    if (cursor) expect(body.data.length).toBeGreaterThan(0);
    if (body.next_cursor) expect(body.data).toHaveLength(limit);
    records.push(...body.data);
    if (body.next_cursor === null) return records;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

/** Holds a list to giving the same records, in the same order, whatever the size of its pages. */
export async function expectSameAtEveryPageSize(service: TestService, list: string): Promise<void> {
  const { body } = await service.get(`${list}?limit=500`);
  expect(body.next_cursor).toBeNull();
  expect(body.data.length).toBeGreaterThan(2);
  for (let limit = 1; limit <= body.data.length + 1; limit++) {
    expect(await readPages(service, list, limit)).toEqual(body.data);
  }
}
