import { expect, test } from '@jest/globals';
import { BackgroundTask } from '../../consumers/relay/background-task.ts';
import { settle } from '../helpers/service/manual-clock.ts';

test('a background task runs once at a time', async () => {
  const ranges: PromiseWithResolvers<void>[] = [];
  const work = new BackgroundTask(0, () => {
    const range = Promise.withResolvers<void>();
    ranges.push(range);
    return range.promise;
  });
  work.start();
  work.start();
  expect(ranges).toHaveLength(1);
  ranges[0]?.resolve();
  await settle();
  work.start();
  expect(ranges).toHaveLength(2);
});

test('a background task starts only when its interval has passed', () => {
  let ranges = 0;
  const work = new BackgroundTask(60_000, async () => {
    ranges += 1;
  });
  work.start();
  expect(ranges).toBe(0);
});

test('a failure of a background task is thrown on request', async () => {
  const work = new BackgroundTask(0, () => Promise.reject(new Error('the log is an older one')));
  work.requireWorking();
  work.start();
  work.requireWorking();
  await settle();
  expect(() => work.requireWorking()).toThrow('the log is an older one');
});
