import { expect, test } from '@jest/globals';
import { findLate, refuseUnpublished } from '../../domain/publication.ts';
import type { Submission } from '../../schemas/submission.ts';
import { submit } from '../helpers/ballots/mayoral-submissions.ts';
import { pick } from '../helpers/ballots/submissions.ts';

const NOW = Date.parse('2026-09-30T23:59:59.999Z');
const on = (published_on: string | null) => pick('ann', { published_on });

test.each<[string, Submission]>([
  ['has no date', submit('endorse', on(null))],
  ['was published today', submit('endorse', on('2026-09-30'))],
  ['was published tomorrow, which is today in Guam', submit('endorse', on('2026-10-01'))],
  ['is withdrawn with any date', submit('withdraw', on('2036-01-01'))],
])('a submission that %s is accepted', (_, submission) => {
  expect(refuseUnpublished(submission, NOW)).toBeUndefined();
});

test('a submission published later than tomorrow is refused with the field and the date', () => {
  const RULE = 'must not be later than tomorrow, 2026-10-01';
  expect(refuseUnpublished(submit('endorse', on('2026-10-02')), NOW)).toEqual({
    code: 'not_yet_published',
    message: `published_on ${RULE}, is "2026-10-02".`,
  });
  const position = submit('position', 'bob', on('2026-10-02'), on('2026-10-01'), on('2027-01-01'));
  expect(refuseUnpublished(position, NOW)?.message).toBe(
    `picks[1].published_on ${RULE}, is "2026-10-02"; picks[3].published_on ${RULE}, is "2027-01-01".`,
  );
});

const held = (contest: string, day: string): Submission => ({ ...submit('endorse', on(day)), contest });

test('a pick published after the day of the election gets a warning', () => {
  const message = 'should not be after the election on 2026-11-03, is "2026-11-04"';
  const field = 'published_on';
  expect(findLate(submit('endorse', on('2026-11-03')))).toEqual([]);
  expect(findLate(submit('endorse', on('2026-11-04')))).toEqual([{ field, message }]);
  expect(findLate(submit('position', on('2026-11-03'), on('2026-11-04')))).toEqual([
    { field: 'picks[1].published_on', message },
  ]);
  expect(findLate(held('or-2026-11-03/mayor', '2026-11-04'))).toEqual([{ field, message }]);
});

test.each(['mn-mayor/mayor', 'or-2026-02-30-general/mayor', 'or-2026-11-031/mayor', 'x-2026-11-03-a/b'])(
  'nothing is known of the day of %s',
  (contest) => {
    expect(findLate(held(contest, '2036-01-01'))).toEqual([]);
  },
);
