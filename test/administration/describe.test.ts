import { expect, test } from '@jest/globals';
import { readSubmission } from '../../administration/rejections/describe.ts';
import { submissionCodec } from '../../schemas/submission.ts';
import { endorse } from '../helpers/ballots/submissions.ts';

test('a rejected submission has its names in the form in which the service compares them', () => {
  const value = submissionCodec.encode(endorse('bakers-local-1 ', 'ma\u0301yor ', 'ann'));
  const submission = readSubmission({
    ...{ code: 'unknown_contest', message: 'No.', topic: 'submissions', partition: 0, offset: 0, value },
    ...{ rejected_at: 0, last_offset: null, truncated: null },
  });
  expect(submission).toMatchObject({
    endorser: 'bakers-local-1',
    contest: 'or-2026-11-03-general/m\u00e1yor',
  });
});
