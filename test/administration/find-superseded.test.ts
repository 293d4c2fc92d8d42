import { expect, test } from '@jest/globals';
import { findLastOfSame, findSuperseded } from '../../administration/rejections/find-superseded.ts';
import { type Rejection, submissionCodec } from '../../schemas/submission.ts';
import { endorse } from '../helpers/ballots/submissions.ts';

const rejectionOf = (choice: string, more: Partial<Rejection> = {}) =>
  ({
    value: submissionCodec.encode(endorse('bakers-local-1', 'mayor', choice)),
    truncated: null,
    ...more,
  }) as Rejection;

test('all but the last of equal submissions are superseded', () => {
  const [a1, b, a2, a3] = ['a', 'b', 'a', 'a'].map((text) => rejectionOf(text));
  expect([...findSuperseded([a1, b, a2, a3] as Rejection[])]).toEqual([a1, a2]);
});

test('what has no value, only the beginning of one, or cannot be read supersedes nothing', () => {
  const truncated = { size: 9, sha256: Buffer.alloc(32) };
  const others = [{ value: null }, { value: Buffer.from('?') }];
  const list = [...others, ...others].map((value) => rejectionOf('a', value));
  list.push(rejectionOf('a', { truncated }), rejectionOf('a'));
  expect(findSuperseded(list).size).toBe(0);
});

test('the last of equal submissions is found from each earlier one, and from none that is the last', () => {
  const at = (choice: string, rejected_at: number, more: Partial<Rejection> = {}) =>
    rejectionOf(choice, { rejected_at, ...more });
  const truncated = { size: 9, sha256: Buffer.alloc(32) };
  const [a1, b, a2, a3, short] = [at('a', 1), at('b', 2), at('a', 3), at('a', 3), at('a', 4, { truncated })];
  const all = [a1, b, a2, a3, short] as Rejection[];
  expect(all.map((each) => findLastOfSame(each, all))).toEqual([a3, null, a3, null, null]);
  expect(findLastOfSame(at('a', 9), all)).toBeNull();
  expect(findLastOfSame(at('a', 1, { value: null }), all)).toBeNull();
});
