import { expect, test } from '@jest/globals';
import type { ServiceLag } from '../../administration/lag.ts';
import { formatLag, summarizeLag } from '../../ops/lag/format-lag.ts';

const partition = (number: number, lag: number, stable_lag: number) => ({
  ...{ partition: number, done: 1000, stable_end: 1000 + stable_lag, end: 1000 + lag, lag, stable_lag },
});
const LAG: ServiceLag = {
  submissions: [partition(0, 1200, 1200), partition(1, 30, 10)],
  changes: { done: 5, end: 1239, lag: 1234, oldest_seconds: 7 },
  rejections: { lag: 3 },
};

test('a summary has all of the lag in one line, and what a transaction holds back only if there is any', () => {
  expect(summarizeLag(LAG)).toBe(
    'submissions 1,230 (20 held back by a transaction), changes 1,234, rejections 3',
  );
  expect(summarizeLag({ ...LAG, submissions: [partition(0, 7, 7)] })).toBe(
    'submissions 7, changes 1,234, rejections 3',
  );
});

test('a table has a line for each partition, and the sums of both lags', () => {
  expect(formatLag(LAG, false)).toEqual([
    'WHAT\tDONE\tLAST STABLE\tEND\tLAG TO LAST STABLE\tLAG',
    'submissions 0\t1000\t2200\t2200\t1200\t1200',
    'submissions 1\t1000\t1010\t1030\t10\t30',
    'all submissions\t-\t-\t-\t1210\t1230',
    'changes\t5\t-\t1239\t-\t1234',
    'rejections\t-\t-\t-\t-\t3',
  ]);
});
