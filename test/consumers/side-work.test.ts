import { expect, test } from '@jest/globals';
import { SideWork } from '../../consumers/relay/side-work.ts';
import { settle } from '../helpers/service/manual-clock.ts';

test('side work runs once at a time', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const work = new SideWork(0, () => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  work.start();
  work.start();
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await settle();
  work.start();
  expect(runs).toHaveLength(2);
});

test('side work starts only when its interval has passed', () => {
  let runs = 0;
  const work = new SideWork(60_000, async () => {
    runs += 1;
  });
  work.start();
  expect(runs).toBe(0);
});

test('a failure of side work is thrown when it is asked for', async () => {
  const work = new SideWork(0, () => Promise.reject(new Error('the log is an older one')));
  work.requireWorking();
  work.start();
  work.requireWorking();
  await settle();
  expect(() => work.requireWorking()).toThrow('the log is an older one');
});
