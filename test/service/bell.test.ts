import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { Bell } from '../../service/bell.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

test('ends every wait when it rings', async () => {
  const bell = new Bell();
  const waits = [bell.wait(HOUR_MS, never), bell.wait(HOUR_MS, never)];
  bell.ring();
  await Promise.all(waits);
});

test.each([
  ['the time is over', 1, never],
  ['the signal has aborted', HOUR_MS, AbortSignal.abort()],
])('ends a wait when %s', async (_, ms, signal) => {
  await new Bell().wait(ms, signal);
});

test('ends a wait at once if it has rung since the caller last looked', async () => {
  const bell = new Bell();
  const heard = bell.rings;
  bell.ring();
  await bell.wait(HOUR_MS, never, heard);
});

test('waits for another ring, whatever came before the caller looked', async () => {
  const bell = new Bell();
  bell.ring();
  let isOver = false;
  const wait = bell.wait(HOUR_MS, never, bell.rings).then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  bell.ring();
  await wait;
});

test('keeps nothing of waits that are over, so that a quiet process does not grow', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const bell = new Bell();
  const wait = async (times: number) => {
    for (let index = 0; index < times; index += 1) await bell.wait(0, never);
  };
  await wait(1000);
  const before = heap();
  await wait(4000);
  // A promise that is raced keeps 300 bytes of each. Signals are collected a little later than they end.
  await until('the memory to be free again', () => heap() - before < 500_000);
});
