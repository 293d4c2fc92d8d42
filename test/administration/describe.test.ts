import { expect, test } from '@jest/globals';
import { describeRejection, readSubmission } from '../../administration/rejections/describe.ts';
import { showRejection } from '../../administration/rejections/show.ts';
import { type Rejection, submissionCodec } from '../../schemas/submission.ts';
import { endorse, pick, position } from '../helpers/ballots/submissions.ts';

const rejectionOf = (values: Partial<Rejection>): Rejection => ({
  ...{ code: 'unknown_contest', message: 'No.', topic: 'submissions', partition: 3, offset: 12 },
  ...{ rejected_at: Date.parse('2026-05-03T10:00:00.250Z'), last_offset: null, truncated: null, value: null },
  ...values,
});

test('a rejected submission has its names in the form in which the service compares them', () => {
  const value = submissionCodec.encode(endorse('bakers-local-1 ', 'ma\u0301yor ', 'ann'));
  expect(readSubmission(rejectionOf({ value }))).toMatchObject({
    endorser: 'bakers-local-1',
    contest: 'or-2026-11-03-general/m\u00e1yor',
  });
});

test('a line about a rejection names its endorser, contest and picks, and is safe on a terminal', () => {
  const value = submissionCodec.encode(
    position('bakers-local-1', 'sheriff', [pick('ann'), pick('b\u001b[2J')]),
  );
  const line = describeRejection(rejectionOf({ value, message: 'There is no "\u202e".' }));
  for (const control of ['\u001b', '\u202e']) expect(line).not.toContain(control);
  expect(JSON.parse(line)).toEqual({
    ...{ code: 'unknown_contest', message: 'There is no "\u202e".', endorser: 'bakers-local-1' },
    ...{ contest: 'or-2026-11-03-general/sheriff', picks: ['ann', 'b\u001b[2J'] },
    ...{
      rejected_at: '2026-05-03T10:00:00.250Z',
      origin: { topic: 'submissions', partition: 3, offset: 12 },
    },
  });
});

test.each([null, Buffer.from('noise')])('a line about a rejection of %j names nobody', (value) => {
  expect(JSON.parse(describeRejection(rejectionOf({ value })))).toMatchObject({
    ...{ endorser: null, contest: null, picks: [] },
  });
});

test('a rejection without a value, or of a whole batch, is shown with its origin and size', () => {
  expect(showRejection(rejectionOf({}))).toEqual([
    'reason:    unknown_contest: No.',
    'origin:    submissions, partition 3, offset 12',
    'rejected:  2026-05-03T10:00:00.250Z',
    'size:      none; the record had no value',
  ]);
  const batch = rejectionOf({ value: Buffer.alloc(0), last_offset: 19 });
  expect(showRejection(batch).slice(1, 2).concat(showRejection(batch).slice(3))).toEqual([
    'origin:    submissions, partition 3, offset 12 to 19',
    'size:      0 bytes',
  ]);
});

test('a rejection of which only the beginning is kept is shown with the size and digest of the whole', () => {
  const truncated = { size: 9_000_000, sha256: Buffer.alloc(32, 0xab) };
  expect(showRejection(rejectionOf({ value: Buffer.from('begin'), truncated })).slice(3, 6)).toEqual([
    'size:      9000000 bytes',
    'kept:      the first 5 bytes, so it cannot be sent again',
    `SHA-256:   ${'ab'.repeat(32)} of the whole value`,
  ]);
});

test('an unreadable value is shown by its first 512 bytes, 16 in a line, without its control characters', () => {
  const value = Buffer.concat([Buffer.from('\u001b[2J~ \u007f'), Buffer.alloc(600, 'x')]);
  const lines = showRejection(rejectionOf({ value })).slice(4);
  expect(lines[0]).toBe('first bytes:');
  expect(lines[1]).toBe(`00000000  1b 5b 32 4a 7e 20 7f 78 78 78 78 78 78 78 78 78  .[2J~ .xxxxxxxxx`);
  expect(lines).toHaveLength(1 + 512 / 16);
  expect(lines.at(-1)).toMatch(/^000001f0 {2}/);
});

test('a readable submission is shown as JSON, a line for each value', () => {
  const value = submissionCodec.encode(endorse('bakers-local-1', 'mayor', 'ann', { statement: 'a\u0007b' }));
  const lines = showRejection(rejectionOf({ value })).slice(4);
  expect(lines.slice(0, 3)).toEqual(['submission:', '{', '  "action": "endorse",']);
  expect(JSON.parse(lines.slice(1).join('\n'))).toMatchObject({
    picks: [{ choice: 'ann', statement: 'a\u0007b' }],
  });
  expect(lines.join('')).not.toContain('\u0007');
});
