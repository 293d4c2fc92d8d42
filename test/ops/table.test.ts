import { expect, test } from '@jest/globals';
import { formatTable } from '../../ops/table.ts';

const HEAD = ['NAME', 'REQUESTS', 'NOTE'];
const ROWS = [
  ['acme', 1200, null],
  ['a\tb', 7, 'two words'],
] as const;

test('a table for programs has tabs between its columns', () => {
  expect(formatTable(HEAD, ROWS)).toEqual(['NAME\tREQUESTS\tNOTE', 'acme\t1200\t-', 'a\\tb\t7\ttwo words']);
});

test('a table for a terminal is aligned: texts on the left, numbers on the right', () => {
  expect(formatTable(HEAD, ROWS, true)).toEqual([
    'NAME  REQUESTS  NOTE',
    'acme      1200  -',
    'a\\tb         7  two words',
  ]);
  expect(formatTable(HEAD, [], true)).toEqual(['NAME  REQUESTS  NOTE']);
});
