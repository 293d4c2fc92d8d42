import { expect, test } from '@jest/globals';
import { findHistoryConflict } from '../../domain/history.ts';

const published = { epoch: 7, sequence: 100, id: 'a' };
const stored = { epoch: 7, lastSequence: 100, announcedId: 'a' };

test.each([
  ['the store has what was published', published, stored],
  [
    'the store is ahead, because a relay has not sent everything',
    published,
    { ...stored, lastSequence: 250 },
  ],
  ['the change log no longer has the change', published, { ...stored, announcedId: null }],
  ['nothing was published yet', null, stored],
  ['what was published belongs to an earlier epoch', { ...published, epoch: 6, sequence: 900 }, stored],
])('a history agrees if %s', (_, change, history) => {
  expect(findHistoryConflict(change, history)).toBeNull();
});

test.each([
  ['the store lacks changes', published, { ...stored, lastSequence: 99, announcedId: null }, 'lacks changes'],
  ['the store is of an earlier epoch', { ...published, epoch: 8, sequence: 1 }, stored, 'at the older epoch'],
  ['the store has another change there', published, { ...stored, announcedId: 'b' }, 'histories differ'],
])('INV-3: a history is refused if %s', (_, change, history, words) => {
  const conflict = findHistoryConflict(change, history);
  expect(conflict).toContain(words);
  expect(conflict).toContain('docs/operations/recovery.md');
});
