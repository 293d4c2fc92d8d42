/* Submissions of any size and shape: counts, depths and lengths, as they are after decompression. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRejectionRecord } from '../../consumers/apply/rejection.ts';
import {
  createRecord,
  type SubmissionRecord,
  sizeOfRecord,
} from '../../consumers/apply/submission-record.ts';
import {
  MAX_PICKS,
  MAX_SUBMISSION_BYTES,
  type SubmittedPick,
  submissionCodec,
} from '../../schemas/submission.ts';
import { pick, position } from '../helpers/ballots/submissions.ts';

const MB = 1024 * 1024;
const HEADERS = { offset: 7, timestamp: 0, headers: null };

function create(value: Buffer): SubmissionRecord {
  return createRecord({ ...HEADERS, key: Buffer.from('acme'), value }, (error) => {
    throw error;
  });
}

/** A JSON object with names of this length, nested this deep, each level with this many more members. */
function nest(depth: number, length: number, members: number): string {
  const more = Array.from({ length: members }, (_, index) => `,"m${index}":"\\u0000"`).join('');
  return `${`{"${'n'.repeat(length)}":`.repeat(depth)}1${`${more}}`.repeat(depth)}`;
}

const size = fc.oneof(fc.nat(10), fc.nat(2000), fc.nat(200_000));
const details = fc
  .record({ depth: fc.integer({ min: 1, max: 500 }), length: fc.nat(20_000), members: fc.nat(50) })
  .map(({ depth, length, members }) => nest(depth, length, members));
const submission = fc
  .record({
    count: size,
    choice: fc.oneof(fc.nat(5), size),
    statement: fc.oneof(fc.constant(0), size),
    character: fc.constantFrom('a', '\0', '😀', '-', ' '),
    details: fc.option(details),
  })
  // Larger ones are refused before anything else, and take long to make.
  .filter(
    ({ count, choice, statement, details: object }) =>
      count * (10 + choice + statement + (object?.length ?? 0)) < 5 * MB,
  )
  .map(({ count, choice, statement, character, details: object }) => {
    const values = {
      statement: character.repeat(statement),
      details: object,
    } satisfies Partial<SubmittedPick>;
    const one = pick(character.repeat(choice), values);
    return submissionCodec.encode(position('acme', 'mayor', Array<SubmittedPick>(count).fill(one)));
  });

/** The most picks that are valid, with long texts. */
const largest = submissionCodec.encode(
  position(
    'acme',
    'mayor',
    Array.from({ length: MAX_PICKS }, (_, index) => pick(`choice-${index}`, { statement: 'x'.repeat(2000) })),
  ),
);

/** As many picks without anything, as they are small once compressed. */
const many = (count: number) =>
  submissionCodec.encode(position('acme', 'mayor', Array<SubmittedPick>(count).fill(pick(''))));

function time(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

test('INV-15: whatever the size and shape of a submission, its record takes bounded memory and time', () => {
  expect(largest.length).toBeGreaterThan(0.9 * MAX_SUBMISSION_BYTES);
  expect(create(largest).submission).not.toHaveProperty('code');
  const usual = Math.max(...Array.from({ length: 5 }, () => time(() => create(largest))));
  const mostMs = 6 * usual + 20;
  fc.assert(
    fc.property(submission, (value) => {
      let record = create(Buffer.alloc(0));
      let took = mostMs;
      // The best of three, since other programs on the machine take time too.
      for (let tries = 0; tries < 3 && took >= mostMs; tries += 1)
        took = time(() => (record = create(value)));
      expect(took).toBeLessThan(mostMs);
      expect(sizeOfRecord(record)).toBeLessThan(3 * MB);
      if (!('code' in record.submission)) return;
      const rejection = createRejectionRecord(record, record.submission, { topic: 't', partition: 0 }, 0);
      expect(rejection.value.length).toBeLessThan(70_000);
    }),
    { numRuns: 150, examples: [[many(70_000)], [many(MAX_PICKS)], [many(MAX_PICKS + 1)]] },
  );
});
