import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Backlog } from '../../consumers/apply/backlog.ts';
import { clearLag, LagReport } from '../../consumers/apply/lag-report.ts';
import { pendingRejections } from '../../consumers/apply/metrics.ts';
import { metricValue } from '../helpers/service/metrics.ts';

/** By partition: the applied offset, and what follows it to the end of the log and to the last stable offset. */
let lags: [applied: number, toEnd: number, toStableEnd: number][];
let now: number;
let report: LagReport;

beforeEach(() => {
  now = 1000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  report = new LagReport({
    get lag() {
      return lags.map(([applied, toEnd, toStableEnd], partition) => ({
        partition,
        applied,
        toEnd,
        toStableEnd,
      }));
    },
  } as unknown as Backlog);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Reports the lag a while later. @returns the waiting submissions and the longest waits */
async function reportAfter(seconds: number, ...given: typeof lags) {
  now += seconds * 1000;
  lags = given;
  report.update();
  return {
    readable: await metricValue('submissions_waiting', { state: 'readable' }),
    held: await metricValue('submissions_waiting', { state: 'held_back' }),
    oldest: await metricValue('submissions_oldest_waiting_seconds'),
    blocked: await metricValue('submissions_held_back_seconds'),
  };
}

test('the longest wait is that of the partition that has not moved for longest, and a move begins it again', async () => {
  expect(await reportAfter(0, [5, 3, 3], [8, 0, 0])).toEqual({ readable: 3, held: 0, oldest: 0, blocked: 0 });
  expect(await reportAfter(2, [5, 4, 4], [8, 1, 1])).toEqual({ readable: 5, held: 0, oldest: 2, blocked: 0 });
  expect(await reportAfter(3, [6, 3, 3], [8, 1, 1])).toMatchObject({ oldest: 3 });
  expect(await reportAfter(1, [6, 3, 3], [9, 0, 0])).toMatchObject({ oldest: 1 });
});

test('a partition whose submissions are all applied waits anew with the next one', async () => {
  await reportAfter(0, [5, 1, 1]);
  await reportAfter(9, [6, 0, 0]);
  // The submission at 6 was appended a moment ago.
  expect(await reportAfter(9, [6, 1, 1])).toMatchObject({ oldest: 0 });
  expect(await reportAfter(4, [6, 1, 1])).toMatchObject({ oldest: 4 });
});

test('an open transaction holds a partition back if nothing before it can be read', async () => {
  await reportAfter(0, [5, 4, 1], [7, 2, 0]);
  expect(await reportAfter(6, [5, 4, 1], [7, 2, 0])).toEqual({ readable: 1, held: 5, oldest: 6, blocked: 6 });
  expect(await reportAfter(1, [6, 3, 0], [8, 1, 1])).toEqual({ readable: 1, held: 3, oldest: 0, blocked: 0 });
  expect(await reportAfter(2, [6, 3, 0], [8, 1, 1])).toMatchObject({ oldest: 2, blocked: 2 });
});

test('a process that no longer leads reports no lag', async () => {
  await reportAfter(0, [5, 4, 1]);
  await reportAfter(5, [5, 4, 1]);
  pendingRejections.set(7);
  clearLag();
  const names = ['submissions_oldest_waiting_seconds', 'submissions_held_back_seconds', 'rejections_waiting'];
  expect(await Promise.all(names.map((name) => metricValue(name)))).toEqual([0, 0, 0]);
  expect(await metricValue('submissions_waiting', { state: 'readable' })).toBe(0);
});
