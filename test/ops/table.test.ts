import { expect, test } from '@jest/globals';
import { count, formatCounts, formatDay, formatMinute, formatTable } from '../../ops/table.ts';

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

test('a column of numbers stays one if some are missing, and one with a text does not', () => {
  const rows = [
    [null, 1200, 5],
    [7, 'all', null],
  ];
  expect(formatTable(['COUNT', 'MIXED', 'MORE'], rows, true)).toEqual([
    'COUNT  MIXED  MORE',
    '    -  1200      5',
    '    7  all       -',
  ]);
});

test('counts are aligned on the right below their headings', () => {
  expect(formatCounts(['added', 'removed'], [['contests', 1756, 0]])).toEqual([
    `${' '.repeat(20)}      added    removed`,
    `contests${' '.repeat(12)}      1,756          0`,
  ]);
  expect(count(1_234_567)).toBe('1,234,567');
});

test('times are shown in UTC, as a day or to the minute, and a missing one stays missing', () => {
  const time = new Date('2026-11-03T23:59:59.999-08:00');
  expect([formatDay(time), formatMinute(time)]).toEqual(['2026-11-04', '2026-11-04T07:59Z']);
  expect([formatDay(null), formatMinute(null)]).toEqual([null, null]);
});
