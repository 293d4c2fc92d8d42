import { expect, test } from '@jest/globals';
import { findReplacement } from '../../domain/generation.ts';

test.each([
  ['never looked at before', { topicId: null, offsets: [] }, { topicId: 'a', ends: [0, 0] }, null],
  ['the same, further on', { topicId: 'a', offsets: [3, 5] }, { topicId: 'a', ends: [4, 9] }, null],
  ['the same, where it was', { topicId: 'a', offsets: [3, 5] }, { topicId: 'a', ends: [3, 5] }, null],
  ['with another partition', { topicId: 'a', offsets: [3] }, { topicId: 'a', ends: [3, 0] }, null],
  ['another topic', { topicId: 'a', offsets: [3] }, { topicId: 'b', ends: [9] }, 'b instead of a'],
  [
    'shorter than before',
    { topicId: 'a', offsets: [3, 5] },
    { topicId: 'a', ends: [3, 4] },
    'partition 1 ends at 4',
  ],
  [
    'with fewer partitions',
    { topicId: 'a', offsets: [3, 5] },
    { topicId: 'a', ends: [3] },
    'partition 1 ends at 0',
  ],
  ['shorter, never looked at', { topicId: null, offsets: [3] }, { topicId: 'a', ends: [1] }, 'has reached 3'],
])('a topic that is %s', (_, known, seen, reason) => {
  const found = findReplacement(known, seen);
  if (reason === null) expect(found).toBeNull();
  else expect(found).toContain(reason);
});
