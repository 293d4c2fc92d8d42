import { expect, test } from '@jest/globals';
import { Turns } from '../../../gateway/recommendations/turns.ts';

const HERE = new AbortController().signal;

/** Work that ends when it is told to. */
function createWork() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let begun = false;
  const work = () => {
    begun = true;
    return promise;
  };
  return { work, resolve, reject, isBegun: () => begun };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('as many as may are done at a time, the others in the order in which they came', async () => {
  const turns = new Turns({ atOnce: 2, waiting: 10 });
  const works = Array.from({ length: 4 }, createWork);
  const done = works.map(({ work }) => turns.take(work, HERE));
  await settle();
  expect(works.map(({ isBegun }) => isBegun())).toEqual([true, true, false, false]);
  works[1]?.resolve('second');
  await settle();
  expect(works.map(({ isBegun }) => isBegun())).toEqual([true, true, true, false]);
  works[0]?.reject(new Error('failed'));
  await expect(done[0]).rejects.toThrow('failed');
  await settle();
  expect(works[3]?.isBegun()).toBe(true);
  for (const { resolve } of works) resolve('done');
  expect(await Promise.all(done.slice(1))).toEqual(['second', 'done', 'done']);
});

test('who finds too many waiting is told to come again', async () => {
  const turns = new Turns({ atOnce: 1, waiting: 1 });
  const [first, second] = [createWork(), createWork()];
  const done = [first, second].map(({ work }) => turns.take(work, HERE));
  await expect(turns.take(createWork().work, HERE)).rejects.toMatchObject({
    code: 'server_busy',
    headers: { 'Retry-After': '2' },
  });
  first.resolve('first');
  second.resolve('second');
  expect(await Promise.all(done)).toEqual(['first', 'second']);
  expect(await turns.take(async () => 'free again', HERE)).toBe('free again');
});

test('what nobody waits for any more is not begun, and holds up nobody', async () => {
  const turns = new Turns({ atOnce: 1, waiting: 10 });
  const [first, left, last] = [createWork(), createWork(), createWork()];
  const client = new AbortController();
  const done = [
    turns.take(first.work, HERE),
    turns.take(left.work, client.signal),
    turns.take(last.work, HERE),
  ];
  client.abort();
  first.resolve('first');
  last.resolve('last');
  await expect(done[1]).rejects.toMatchObject({ code: 'server_busy' });
  expect(left.isBegun()).toBe(false);
  expect(await Promise.all([done[0], done[2]])).toEqual(['first', 'last']);
});
