import { expect, test } from '@jest/globals';
import { Notifier } from '../../service/notifier.ts';
import { collectGarbage } from '../helpers/collect-garbage.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

test('ends every wait when it notifies', async () => {
  const notifier = new Notifier();
  const waits = [notifier.wait(HOUR_MS, never), notifier.wait(HOUR_MS, never)];
  notifier.notify();
  await Promise.all(waits);
});

test.each([
  ['the time is over', 1, never],
  ['the signal has aborted', HOUR_MS, AbortSignal.abort()],
])('ends a wait when %s', async (_, ms, signal) => {
  await new Notifier().wait(ms, signal);
});

test('ends a wait when the signal aborts', async () => {
  const ending = new AbortController();
  const wait = new Notifier().wait(HOUR_MS, ending.signal);
  ending.abort();
  await wait;
});

test('ends a wait at once if it has notified since the caller last looked', async () => {
  const notifier = new Notifier();
  const seen = notifier.notifications;
  notifier.notify();
  await notifier.wait(HOUR_MS, never, seen);
});

test('ignores notifications from before the caller looked', async () => {
  const notifier = new Notifier();
  notifier.notify();
  let isOver = false;
  const wait = notifier.wait(HOUR_MS, never, notifier.notifications).then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  notifier.notify();
  await wait;
});

test('keeps nothing of finished waits, so that a quiet process does not grow', async () => {
  const heap = async () => {
    await collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const notifier = new Notifier();
  const wait = async (times: number) => {
    for (let done = 0; done < times; done += 100) {
      await Promise.all(Array.from({ length: 100 }, () => notifier.wait(0, never)));
    }
  };
  await wait(1000);
  const before = await heap();
  await wait(4000);
  // A raced promise keeps 300 bytes for each race. Signals are collected a little later than they end.
  await until('the memory to be free again', async () => (await heap()) - before < 500_000);
});
