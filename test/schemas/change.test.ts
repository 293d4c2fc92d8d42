import { expect, test } from '@jest/globals';
import { identifyChange } from '../../schemas/change.ts';
import { parseCursor } from '../../schemas/cursor.ts';

test('INV-3: a relayed change has the id of its sequence, its time and its batch', () => {
  const logged = { sequence: 37, occurredAt: 1_788_000_000_000, type: 'updated' as const };
  const { id, ...relayed } = identifyChange(logged, { epoch: 5, offsets: [7, 0, 9] });
  expect(parseCursor(id)).toEqual({ epoch: 5, sequence: 37, time: 1_788_000_000_000, offsets: [7, 0, 9] });
  expect(relayed).toEqual({
    epoch: 5,
    sequence: 37,
    type: 'updated',
    occurred_at: 1_788_000_000_000,
  });
});
