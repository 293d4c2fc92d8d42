import { expect, test } from '@jest/globals';
import { checkName, findNamed, nameOf, parseOrigin } from '../../administration/rejections/name.ts';
import type { Rejection } from '../../schemas/submission.ts';

const rejectionAt = (partition: number, offset: number, time: string) =>
  ({ partition, offset, rejected_at: Date.parse(time) }) as Rejection;

const EARLIER = '2026-05-03T10:00:00.000Z';
const LATER = '2026-06-03T10:00:00.001Z';
const [before, after, other, longer] = [
  rejectionAt(3, 120, EARLIER),
  rejectionAt(3, 120, LATER),
  rejectionAt(12, 0, EARLIER),
  rejectionAt(3, 1201, EARLIER),
] as [Rejection, Rejection, Rejection, Rejection];
const all = [before, after, other, longer];

test('a name without a time means every rejection of its origin, and one with a time only that', () => {
  expect(findNamed(all, '3/120')).toEqual([before, after]);
  expect(findNamed(all, `3/120@${LATER}`)).toEqual([after]);
  expect(findNamed(all, '12/0')).toEqual([other]);
  for (const absent of ['3/12', '3/1', '2/0', `3/1201@${LATER}`, '3/120@']) {
    expect(findNamed(all, absent)).toEqual([]);
  }
  for (const each of all) expect(findNamed(all, nameOf(each))).toEqual([each]);
});

test.each(['3/1201', `3/1201@${EARLIER}`, '0/0'])('%s is a name', (name) => {
  expect(() => checkName(name)).not.toThrow();
});

test.each([
  ...['', '3', '3/', '/1', '3/1/2', '-3/1', '3/1.5', 'a/b', '3/1 ', `@${EARLIER}`, '1234567890/1'],
  ...['3/1@', '3/1@today', '3/1@2026-05-03T10:00:00Z', `3/1@${EARLIER}@${LATER}`, `3/1@x${EARLIER}`],
])('"%s" is not a name', (name) => {
  expect(() => checkName(name)).toThrow(
    /is not (an origin|the name of a rejection); it must be like 3\/1201/,
  );
});

test('an origin has numbers, of any size that Kafka has', () => {
  expect(parseOrigin('007/999999999999999')).toEqual({ partition: 7, offset: 999_999_999_999_999 });
});
