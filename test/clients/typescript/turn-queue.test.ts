import { expect, test } from '@jest/globals';
import { TurnQueue } from '../../../clients/typescript/src/mirror/turn-queue.ts';

test('a task whose signal aborts before its turn never begins, and those behind it do', async () => {
  const queue = new TurnQueue();
  const { signal } = new AbortController();
  const first = Promise.withResolvers<void>();
  const done: string[] = [];
  const ending = new AbortController();
  const tasks = [
    queue.take(signal, () => first.promise),
    queue.take(ending.signal, async () => void done.push('aborted')),
    queue.take(signal, async () => void done.push('last')),
  ];
  ending.abort(new Error('enough'));
  await expect(tasks[1]).rejects.toThrow('enough');
  first.resolve();
  await Promise.all([tasks[0], tasks[2]]);
  expect(done).toEqual(['last']);
});
