import { expect, test } from '@jest/globals';
import { GroupedWrites } from '../../../consumers/deliver/grouped-writes.ts';

test('writes of many webhooks share statements of at most 32, with one write for each webhook', async () => {
  const groups: number[][] = [];
  const writes = new GroupedWrites<{ id: number }>(async (items) => {
    groups.push(items.map(({ id }) => id));
    return new Set(items.map(({ id }) => id).filter((id) => id !== 7));
  });
  const items = [...Array.from({ length: 50 }, (_, id) => ({ id })), { id: 3 }, { id: 3 }];
  const written = await Promise.all(items.map((item) => writes.add(item)));
  expect(written.filter((isWritten) => !isWritten)).toHaveLength(1);
  expect(written[7]).toBe(false);
  expect(groups.flat().sort()).toEqual(items.map(({ id }) => id).sort());
  for (const group of groups) {
    expect(group.length).toBeLessThanOrEqual(32);
    expect(new Set(group).size).toBe(group.length);
  }
  expect(groups.length).toBeLessThanOrEqual(4);
});

test('the writes of a failed statement fail, and later ones are tried', async () => {
  let isAway = true;
  const writes = new GroupedWrites<{ id: number }>(async (items) => {
    if (isAway) throw new Error('away');
    return new Set(items.map(({ id }) => id));
  });
  const failed = [1, 2].map((id) => writes.add({ id }).catch((error: Error) => error.message));
  expect(await Promise.all(failed)).toEqual(['away', 'away']);
  isAway = false;
  expect(await writes.add({ id: 1 })).toBe(true);
});

test('the writes beyond a failed statement are tried in the next one', async () => {
  let statements = 0;
  const writes = new GroupedWrites<{ id: number }>(async (items) => {
    statements += 1;
    if (statements === 1) throw new Error('away');
    return new Set(items.map(({ id }) => id));
  });
  const added = Array.from({ length: 33 }, (_, id) => writes.add({ id }).catch(() => 'failed'));
  expect((await Promise.all(added)).filter((written) => written === true)).toHaveLength(1);
});
