import { beforeEach, expect, test } from '@jest/globals';
import {
  addPendingRejections,
  countPendingRejections,
  deletePendingRejections,
  loadPendingRejections,
} from '../../store/stream/pending-rejections.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase({ pipeline: true });
const MANY = { records: 100, bytes: 1_000_000 };

beforeEach(() => client.query('TRUNCATE pending_rejections RESTART IDENTITY'));

/** Stores rejections with values of these sizes. Their ids count from 1. */
const add = (...sizes: readonly number[]) =>
  addPendingRejections(
    client,
    sizes.map((size, index) => ({ key: Buffer.from(`key ${index}`), value: Buffer.alloc(size, index) })),
  );
const load = async (limit: { records?: number; bytes?: number; after?: number } = {}) =>
  (await loadPendingRejections(client, { ...MANY, ...limit })).map(({ id }) => id);

test('rejections are loaded as they were stored, the oldest first, wherever their rows are', async () => {
  await add(1, 2, 3);
  // An update puts the row of the oldest behind those of the others.
  await client.query('UPDATE pending_rejections SET key = key WHERE id = 1');
  expect(await loadPendingRejections(client, MANY)).toEqual([
    { id: 1, key: Buffer.from('key 0'), value: Buffer.from([0]) },
    { id: 2, key: Buffer.from('key 1'), value: Buffer.from([1, 1]) },
    { id: 3, key: Buffer.from('key 2'), value: Buffer.from([2, 2, 2]) },
  ]);
  expect(await load({ records: 1 })).toEqual([1]);
  expect(await load({ bytes: 2 })).toEqual([1, 2]);
});

test('a load has as many records as it may, begins after the id that it names, and leaves all of them stored', async () => {
  await add(1, 1, 1, 1);
  expect(await load({ records: 2 })).toEqual([1, 2]);
  expect(await load({ records: 2, after: 2 })).toEqual([3, 4]);
  expect(await load({ after: 3 })).toEqual([4]);
  expect(await load({ after: 4 })).toEqual([]);
  expect(await countPendingRejections(client)).toBe(4);
});

test.each([
  ['nothing', 0, []],
  ['the first, even if it is larger', 1, [1]],
  ['the first alone if it fills the bytes exactly', 10, [1]],
  ['the one that exceeds the bytes, and none behind it', 11, [1, 2]],
  ['all that fit', 31, [1, 2, 3]],
])('a load has %s', async (_, bytes, ids) => {
  await add(10, 20, 5);
  expect(await load({ bytes })).toEqual(ids);
});

test('the bytes count from the id after which a load begins', async () => {
  await add(10, 20, 5);
  expect(await load({ bytes: 20, after: 1 })).toEqual([2]);
  expect(await load({ bytes: 21, after: 1 })).toEqual([2, 3]);
});

test('only the rejections that were sent are deleted', async () => {
  await add(1, 1, 1);
  await deletePendingRejections(client, [1, 3, 9]);
  expect(await load()).toEqual([2]);
  expect(await countPendingRejections(client)).toBe(1);
});

test('INV-8: large rejections are stored in their transaction, even if its end is sent without waiting for them', async () => {
  await client.query('BEGIN');
  await Promise.all([add(9_000_000, 9_000_000), client.query('ROLLBACK')]);
  expect(await countPendingRejections(client)).toBe(0);
});
