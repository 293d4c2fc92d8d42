import { beforeEach, expect, test } from '@jest/globals';
import { ElectionList } from '../../../gateway/ballots/election-list.ts';
import type { DataState } from '../../../store/reads/data-watch.ts';

let catalogue: number;
let history: string;
let loads: number;
let whileLoading: () => void;
let list: ElectionList;

beforeEach(() => {
  catalogue = 1;
  history = '1.0';
  loads = 0;
  whileLoading = () => {};
  list = new ElectionList(async () => {
    loads += 1;
    const versions = { epoch: '1', sequence: 1, catalogue: String(catalogue), officeholders: '1' };
    const elections = [{ id: catalogue, slug: history, state: 'OR', date: '2026-11-03' }];
    await Promise.resolve();
    whileLoading();
    return { versions, elections };
  });
});

const stateOf = (version: number) =>
  ({ history, versions: { catalogue: String(version), sequence: 1 } }) as DataState;

/** The version and the history of the list that a request at this version gets. */
async function read(version = catalogue): Promise<[number | undefined, string | undefined]> {
  const [election] = await list.at(stateOf(version));
  return [election?.id, election?.slug];
}

test('the list is loaded once while the catalogue stays the same, for requests at the same time too', async () => {
  const all = await Promise.all([read(), read(), read()]);
  expect([...all, await read()]).toEqual(Array(4).fill([1, '1.0']));
  expect(loads).toBe(1);
});

test('INV-1: after an edit it is loaded again, and a request from before gets the new one', async () => {
  await read();
  catalogue = 9;
  expect(await read()).toEqual([9, '1.0']);
  catalogue = 10;
  expect(await read()).toEqual([10, '1.0']);
  expect(await read(9)).toEqual([10, '1.0']);
  expect(loads).toBe(3);
});

test('INV-1: a database that lost an edit has another list, also one that was being loaded', async () => {
  catalogue = 2;
  await read();
  history = '1.1';
  catalogue = 1;
  expect(await read()).toEqual([1, '1.1']);
  catalogue = 2;
  let later: Promise<unknown> = Promise.resolve();
  whileLoading = () => {
    whileLoading = () => {};
    history = '1.2';
    later = list.at(stateOf(2));
  };
  await read();
  expect(await read()).toEqual([2, '1.2']);
  await later;
});
