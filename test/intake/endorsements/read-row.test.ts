import { expect, test } from '@jest/globals';
import { readColumns, readRow } from '../../../intake/endorsements/read-row.ts';

const ALL = { endorser: 'coast-gazette', election: 'or-2026-11-03-general' };

/** The position that a row has in a table with this column. */
const readPosition = (column: string, cell: string) =>
  readRow(['Ann', cell], readColumns(['Candidate', column], new Map(), ALL)).position;

test.each([
  ['Endorsed', '1', 'Yes'],
  ['SUPPORT', '0', 'No'],
  ['Yes/No', ' 1 ', 'Yes'],
  ['Endorsed', '2', '2'],
  ['Endorsed', 'x', 'x'],
  ['Endorsed', '', null],
  // Such a number can be a rank.
  ['Position', '1', '1'],
  ['Recommendation', '0', '0'],
])('in a column named %j, %j says %j', (column, cell, position) => {
  expect(readPosition(column, cell)).toBe(position);
});

test('a column that is mapped to the position has flags by its own name', () => {
  const columns = (name: string) =>
    readColumns(['Candidate', name], new Map([[name, 'position' as const]]), ALL);
  expect(readRow(['Ann', '1'], columns('Is endorsed?')).position).toBe('Yes');
  expect(readRow(['Ann', '1'], columns('Place')).position).toBe('1');
});
