import { expect, test } from '@jest/globals';
import { judgeLag } from '../../../administration/health/judge-lag.ts';
import type { ServiceLag } from '../../../administration/lag.ts';

const partition = (lag: number, stable_lag = lag) => ({
  ...{ partition: 0, done: 0, stable_end: stable_lag, end: lag },
  ...{ lag, stable_lag },
});

const lagWith = (lag: Partial<ServiceLag>): ServiceLag => ({
  submissions: [partition(0), partition(0)],
  changes: { done: 5, end: 5, lag: 0, oldest_seconds: 0 },
  rejections: { lag: 0 },
  ...lag,
});

const OLDEST = {
  submission: new Date('2026-11-03T10:00:01Z'),
  held: new Date('2026-11-03T10:00:02Z'),
  rejection: new Date('2026-11-03T10:00:04Z'),
};
const now = Date.parse('2026-11-03T10:00:14Z');

const judge = (lag: Partial<ServiceLag>) =>
  judgeLag(lagWith(lag), { oldest: OLDEST, now }).map(
    ({ status, text, since }) => `${status} since ${since?.getUTCSeconds()}: ${text.slice(0, 40)}`,
  );

test('usual work is not a problem', () => {
  expect(judge({})).toEqual([]);
  const changes = { done: 1, end: 900, lag: 899, oldest_seconds: 10 };
  expect(judge({ submissions: [partition(4000), partition(6000)], changes })).toEqual([]);
});

test('what an open transaction holds back does not count as work of the consumers', () => {
  expect(judge({ submissions: [partition(9000, 5001), partition(6000, 4999)] })).toEqual([
    'warning since 2: An open transaction of a producer holds ',
  ]);
});

test('each problem has the alert whose runbook mends it', () => {
  const findings = judgeLag(
    {
      submissions: [partition(20_001, 20_000)],
      changes: { done: 0, end: 1, lag: 1, oldest_seconds: 11 },
      rejections: { lag: 1 },
    },
    { oldest: {}, now },
  );
  expect(findings.map(({ subject, alert }) => [subject, alert])).toEqual([
    ['apply', 'SubmissionsPileUp'],
    ['apply', 'TransactionOpen'],
    ['relay', 'ChangesUnrelayed'],
    ['rejected', 'RejectionsWait'],
  ]);
});

test('a backlog over all partitions, an open transaction, late changes and rejections are problems', () => {
  expect(judge({ submissions: [partition(4001), partition(6000)] })).toEqual([
    'warning since 1: 10,001 submissions wait to be applied. I',
  ]);
  expect(judge({ submissions: [partition(7, 3), partition(2, 1)] })).toEqual([
    'warning since 2: An open transaction of a producer holds ',
  ]);
  const held = lagWith({ submissions: [partition(7, 3), partition(2, 1)] });
  expect(judgeLag(held, { oldest: {}, now })).toEqual([
    expect.objectContaining({ text: expect.stringContaining('holds back 5 submissions'), since: undefined }),
  ]);
  expect(judge({ changes: { done: 1, end: 3, lag: 2, oldest_seconds: 11 } })).toEqual([
    'warning since 3: 2 changes wait to be relayed. If Kafka r',
  ]);
  expect(judge({ rejections: { lag: 1 } })).toEqual([
    'warning since 4: 1 rejections wait for the rejected topic',
  ]);
});
