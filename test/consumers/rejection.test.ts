import { expect, test } from '@jest/globals';
import { createRejectionRecord } from '../../consumers/apply/rejection.ts';
import type { SubmissionRecord } from '../../consumers/apply/submission-record.ts';
import { rejectionCodec } from '../../schemas/submission.ts';
import { endorse } from '../helpers/ballots/submissions.ts';

const UNREADABLE: SubmissionRecord = {
  ...{ offset: 7, lastOffset: 9, key: null, value: Buffer.from('noise'), truncated: null },
  ...{ submittedAt: null, traceparent: null },
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
