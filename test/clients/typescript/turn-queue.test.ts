import { getEventListeners } from 'node:events';
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

test('a task that fails does not keep those behind it from their turn, and leaves nothing at the signal', async () => {
  const queue = new TurnQueue();
  const { signal } = new AbortController();
  const failing = queue.take(signal, () => Promise.reject(new Error('the disk is full')));
  const next = queue.take(signal, async () => 'done');
  await expect(failing).rejects.toThrow('the disk is full');
  expect(await next).toBe('done');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
