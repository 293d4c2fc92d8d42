import { expect, test } from '@jest/globals';
import { findHistoryConflict } from '../../domain/history.ts';

const announced = { epoch: 7, sequence: 100, id: 'a' };
const stored = { epoch: 7, lastSequence: 100, announcedId: 'a' };

test.each([
  ['the store has what was announced', announced, stored],
  [
    'the store is ahead, as while a relay has not sent everything',
    announced,
    { ...stored, lastSequence: 250 },
  ],
  ['the change log no longer has the change', announced, { ...stored, announcedId: null }],
  ['nothing was announced yet', null, stored],
  ['what was announced belongs to an earlier epoch', { ...announced, epoch: 6, sequence: 900 }, stored],
])('a history agrees if %s', (_, change, history) => {
  expect(findHistoryConflict(change, history)).toBeNull();
});

test.each([
  ['the store lacks changes', announced, { ...stored, lastSequence: 99, announcedId: null }, 'lacks changes'],
  ['the store is of an earlier epoch', { ...announced, epoch: 8, sequence: 1 }, stored, 'it is older'],
  ['the store has another change there', announced, { ...stored, announcedId: 'b' }, 'histories differ'],
])('INV-3: a history is refused if %s', (_, change, history, words) => {
  const conflict = findHistoryConflict(change, history);
  expect(conflict).toContain(words);
  expect(conflict).toContain('docs/operations/recovery.md');
});
