import { describe, expect, test } from '@jest/globals';
import { RejectionTally } from '../../ops/submit/rejection-tally.ts';
import { formatOutcome, formatRejections } from '../../ops/submit/report-outcome.ts';
import { SentOffsets } from '../../ops/submit/sent-offsets.ts';
import { nameReview } from '../../ops/submit/table/review-target.ts';
import { type Rejection, submissionCodec } from '../../schemas/submission.ts';
import { endorse, position } from '../helpers/ballots/submissions.ts';

function rejection(offset: number, values: Partial<Rejection> = {}): Rejection {
  return {
    ...{ code: 'unknown_choice', message: 'No such choice.', topic: 'submissions', partition: 1, offset },
    ...{ rejected_at: 0, value: null, last_offset: null, truncated: null },
    ...values,
  };
}

function tally(rejections: Rejection[]): RejectionTally {
  const counted = new RejectionTally();
  for (const one of rejections) counted.add(one);
  return counted;
}

describe('the sent offsets', () => {
  const sent = new SentOffsets();
  const places = (partition: number, offsets: number[]) => offsets.map((offset) => ({ partition, offset }));
  sent.add([...places(0, [10, 11]), ...places(1, [0, 1]), ...places(0, [12])]);
  // Another producer took offset 13.
  sent.add(places(0, [14, 15]));
  sent.add(places(1, [2, 3, 4]));

  test('in a row become one range', () => {
    expect(sent.ranges).toEqual([
      { partition: 0, from: 10, to: 13 },
      { partition: 1, from: 0, to: 5 },
      { partition: 0, from: 14, to: 16 },
    ]);
    expect(sent.count).toBe(10);
  });

  test.each<[[number, number][], number]>([
    [[], 0],
    [[[0, 10]], 0],
    [[[0, 11]], 1],
    [[[0, 14]], 3],
    [
      [
        [0, 15],
        [1, 5],
      ],
      9,
    ],
    [
      [
        [0, 99],
        [1, 99],
      ],
      10,
    ],
  ])('of those, with the offsets %j in the store, %d are applied', (stored, applied) => {
    expect(sent.countApplied(new Map(stored))).toBe(applied);
  });

  test.each([
    [0, 9, 9, 0],
    [0, 10, 10, 1],
    [0, 12, 14, 2],
    [0, 13, 13, 0],
    [0, 0, 99, 5],
    [1, 4, 9, 1],
    [2, 0, 99, 0],
  ])('in partition %d, from %d to %d, %d were sent', (partition, first, last, count) => {
    expect(sent.countBetween(partition, first, last)).toBe(count);
  });
});

test('the outcome is one line', () => {
  const outcome = { applied: 12_345, changed: 12_000, rejected: 45, rejections: tally([]) };
  expect(formatOutcome(outcome)).toBe(
    '12,345 applied: 12,000 made changes, 300 changed nothing, 45 rejected',
  );
});

describe('the rejections', () => {
  test('are none', () => {
    expect(formatRejections(tally([]))).toEqual([]);
  });

  test('are named in their order, with the submission if it can be read', () => {
    const ann = submissionCodec.encode(endorse('acme', 'mayor', 'ann'));
    const none = submissionCodec.encode(position('acme', 'mayor', []));
    expect(
      formatRejections(
        tally([
          rejection(9, { code: 'undecodable', message: 'Bad.\u001b[2J', value: Buffer.from('noise') }),
          rejection(3, { value: none }),
          rejection(7, { partition: 0, value: ann }),
        ]),
      ),
    ).toEqual([
      'rejected 0/7: unknown_choice: No such choice. (acme in or-2026-11-03-general/mayor: ann)',
      'rejected 1/3: unknown_choice: No such choice. (acme in or-2026-11-03-general/mayor)',
      'rejected 1/9: undecodable: Bad.\\u001b[2J',
      'Rejected: 2 unknown_choice, 1 undecodable.',
    ]);
  });

  test('count once for each origin', () => {
    const twice = tally([rejection(3), rejection(3), rejection(3, { partition: 0 })]);
    expect(twice.count).toBe(2);
    expect(formatRejections(twice).at(-1)).toBe('Rejected: 2 unknown_choice.');
  });

  test('beyond the first fifty are counted, in any order', () => {
    const many = Array.from({ length: 1051 }, (_, offset) => rejection(1050 - offset));
    const lines = formatRejections(tally(many));
    expect(lines).toHaveLength(52);
    expect(lines.slice(-3)).toEqual([
      'rejected 1/49: unknown_choice: No such choice.',
      '... and 1,001 more',
      'Rejected: 1,051 unknown_choice.',
    ]);
    expect(formatRejections(tally(many.slice(0, 50)))).toHaveLength(51);
  });
});

test.each([
  ['a/list.csv', 'a/list-review.csv'],
  ['list-review.csv', 'list-review-2.csv'],
  ['list-review-9.tsv', 'list-review-10.csv'],
])('the rows of %s that need a decision go to %s', (table, review) => {
  expect(nameReview(table)).toBe(review);
});
