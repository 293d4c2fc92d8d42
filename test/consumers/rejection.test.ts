import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createRejectionRecord, shrinkRejection } from '../../consumers/apply/rejection.ts';
import type { SubmissionRecord } from '../../consumers/apply/submission-record.ts';
import { rejectionCodec } from '../../schemas/submission.ts';
import type { RejectionRecord } from '../../store/stream/pending-rejections.ts';
import { endorse } from '../helpers/ballots/submissions.ts';

const UNREADABLE: SubmissionRecord = {
  ...{ offset: 7, lastOffset: 9, key: null, value: Buffer.from('noise'), truncated: null },
  ...{ submittedAt: null, traceparent: null, sender: null },
  submission: { code: 'unreadable', message: 'No.' },
};
const SUBMITTED: SubmissionRecord = {
  ...UNREADABLE,
  lastOffset: null,
  submission: endorse('acme', 'mayor', 'ann'),
};
const REFUSAL = { code: 'unstorable', message: 'The database refuses it.' } as const;
const recordOf = (record: SubmissionRecord) =>
  createRejectionRecord(record, REFUSAL, { topic: 'submissions', partition: 3 }, 1_700_000_000_000);

test.each([
  ['its endorser, even if its record had another key', { ...SUBMITTED, key: Buffer.from('other') }, 'acme'],
  ['its endorser if its record had no key', SUBMITTED, 'acme'],
  ["its record's key if it is not a submission", { ...UNREADABLE, key: Buffer.from('other') }, 'other'],
  ['empty if it has neither', UNREADABLE, ''],
])('the key of a rejection is %s', (_, record, key) => {
  expect(recordOf(record).key.toString()).toBe(key);
});

test('a rejection has the reason, the origin and the value', () => {
  expect(rejectionCodec.decode(recordOf(UNREADABLE).value)).toEqual({
    ...REFUSAL,
    ...{ topic: 'submissions', partition: 3, offset: 7, last_offset: 9 },
    ...{ rejected_at: 1_700_000_000_000, value: Buffer.from('noise'), truncated: null },
  });
});

const place = { topic: 'submissions', partition: 3 };
const withReason = (length: number, value = UNREADABLE.value) =>
  createRejectionRecord(
    { ...UNREADABLE, value },
    { code: 'unknown_contest', message: 'x'.repeat(length) },
    place,
    0,
  );
const reasonOf = ({ value }: { value: Buffer }) => rejectionCodec.decode(value).message.length;

test('INV-15: the reason of a rejection is bounded', () => {
  expect(reasonOf(withReason(4000))).toBe(4000);
  expect(reasonOf(withReason(3_000_000))).toBe(4001);
});

test('INV-14: a rejection shrinks by its key and reason, then by its value, down to a stub with its origin', () => {
  const value = Buffer.alloc(1000, 7);
  const stored = rejectionCodec.decode(withReason(1, value).value);
  let record: RejectionRecord = {
    key: Buffer.alloc(3_000_000, 'k'),
    value: rejectionCodec.encode({ ...stored, message: 'x'.repeat(3_000_000) }),
  };
  const kept: (number | undefined)[] = [];
  for (;;) {
    const before = record;
    try {
      record = shrinkRejection(record);
    } catch (error) {
      expect(error).toEqual(new Error('The rejected topic takes no record at all.'));
      break;
    }
    expect(record.key.length + record.value.length).toBeLessThan(before.key.length + before.value.length);
    kept.push(rejectionCodec.decode(record.value).value?.length);
  }
  expect(kept).toEqual([1000, 500, 250, 125, 62, 31, 15, 7, 3, 1, 0]);
  expect(rejectionCodec.decode(record.value)).toEqual({
    ...{ code: 'unknown_contest', message: `${'x'.repeat(100)}…` },
    ...{ ...place, offset: 7, last_offset: 9, rejected_at: 0, value: Buffer.alloc(0) },
    truncated: { size: 1000, sha256: createHash('sha256').update(value).digest() },
  });
  expect(record.value.length + record.key.length).toBeLessThan(500);
});

test('INV-14: a rejection without a value shrinks to a stub too', () => {
  const stub = shrinkRejection(withReason(200, null));
  expect(reasonOf(stub)).toBe(101);
  expect(rejectionCodec.decode(stub.value)).toMatchObject({ value: null, truncated: null });
  expect(() => shrinkRejection(stub)).toThrow('no record at all');
});
