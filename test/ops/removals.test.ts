import { expect, test } from '@jest/globals';
import { describeRemovals, parseCount } from '../../ops/removals.ts';

const WORDS = {
  ...{ records: 'contests and choices', wholes: 'elections', whole: 'an election' },
  reason: 'this would remove',
};
const removal = (from: string, removed: number, of: number | null = null) => ({
  from,
  records: [
    { kind: 'contests', removed, of },
    { kind: 'choices', removed: 2 * removed, of: null },
  ],
});

test('what an import would take away is told with the most first, the numbers to compare, and the number to allow', () => {
  const removals = [removal('a', 1, 40), removal('b', 1200, 3000), removal('c', 7)];
  expect(describeRemovals(removals, WORDS, { keepMissing: false }).split('\n')).toEqual([
    'Nothing was loaded: this would remove:',
    '  b: 1,200 of 3,000 contests, 2,400 choices',
    '  c: 7 contests, 14 choices',
    '  a: 1 of 40 contests, 2 choices',
    'If the files have only a part of an election, add --keep-missing. If this is intended, add --allow-removals 3624.',
  ]);
  expect(removals.map(({ from }) => from)).toEqual(['a', 'b', 'c']);
});

test('whoever keeps what is missing is not told to, and the beginning of the sentence can differ', () => {
  const lines = describeRemovals(
    [removal('a', 1)],
    { ...WORDS, nothing: 'Nothing was removed' },
    { keepMissing: true },
  );
  expect(lines.split('\n')).toEqual([
    'Nothing was removed: this would remove:',
    '  a: 1 contests, 2 choices',
    'If this is intended, add --allow-removals 3.',
  ]);
});

test.each([
  [20, []],
  [21, ['  and 1 more elections']],
  [1022, ['  and 1,002 more elections']],
])('of %i elections twenty are named', (count, more) => {
  const removals = Array.from({ length: count }, (_, at) => removal(`e${at}`, 1));
  const lines = describeRemovals(removals, WORDS, { keepMissing: true }).split('\n');
  expect(lines.slice(21, -1)).toEqual(more);
  expect(lines.at(-1)).toContain(`--allow-removals ${3 * count}.`);
});

test('a number of removals is whole, and not negative', () => {
  expect(['0', '7', '999999999'].map(parseCount)).toEqual([0, 7, 999_999_999]);
  for (const wrong of ['', '-1', '1.5', '1e3', ' 1', '1000000000', 'all']) {
    expect(() => parseCount(wrong)).toThrow('It must be a whole number of 0 or more.');
  }
});
