import { expect } from '@jest/globals';
import type { Answer, TestService } from '../service/service.ts';

/** A record of a list. */
type Listed = Answer['body'];

/** Reads every record of a list in pages of this size. Only an empty list may have an empty page. */
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

/** Expects the same records in the same order at every page size. */
export async function expectSameAtEveryPageSize(
  service: TestService,
  list: string,
  query = '',
): Promise<void> {
  const { body } = await service.get(`${list}?limit=500${query}`);
  expect(body.next_cursor).toBeNull();
  expect(body.data.length).toBeGreaterThan(2);
  for (let limit = 1; limit <= body.data.length + 1; limit++) {
    expect(await readPages(service, list, limit, query)).toEqual(body.data);
  }
}
