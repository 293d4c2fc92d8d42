import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Change, identifyChange } from '../../schemas/change.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { change } from '../helpers/arbitraries.ts';

test('INV-3: a relayed change has the id of its sequence, its time and its batch, and keeps its content', () => {
  const [sample] = fc.sample(change, { numRuns: 1, seed: 1 }) as [Change];
  const { endorsement, endorser, contest, election, choice } = sample;
  const body = { endorsement, endorser, contest, election, choice };
  const logged = { sequence: 37, occurredAt: 1_788_000_000_000, type: 'updated' as const, body };
  const { id, ...relayed } = identifyChange(logged, { epoch: 5, offsets: [7, 0, 9] });
  expect(parseCursor(id)).toEqual({ epoch: 5, sequence: 37, time: 1_788_000_000_000, offsets: [7, 0, 9] });
  expect(relayed).toEqual({
    epoch: 5,
    sequence: 37,
    type: 'updated',
    occurred_at: 1_788_000_000_000,
    ...body,
  });
});
