/** The copy of a mirror, whose position two readers of the stream move: a loop and a verification. */
import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Step } from '../../../clients/typescript/src/events/step.ts';
import { type EndorsementEvent, MemoryStorage } from '../../../clients/typescript/src/index.ts';
import { Copy } from '../../../clients/typescript/src/mirror/copy.ts';
import { normalizeFilter } from '../../../clients/typescript/src/mirror/storage.ts';
import { mirroredEndorsement } from '../../helpers/clients/mirrored.ts';

const [record] = fc.sample(mirroredEndorsement(fc.constant(1)), { numRuns: 1, seed: 1 });

function stepOf(cursor: string, type: 'created' | 'deleted'): Step {
  const event = { ...record, id: cursor, type: `endorsement.${type}`, endorsement: record };
  return { cursor, event: event as unknown as EndorsementEvent };
}

/** A copy without endorsements, at the position 1. */
async function openCopy() {
  const storage = new MemoryStorage();
  await storage.commit([], { cursor: '1', filter: '{}' });
  const copy = new Copy(storage, normalizeFilter({}));
  await copy.open();
  return { storage, copy };
}

test('steps that a verification has applied already change nothing when the loop brings them', async () => {
  const { copy } = await openCopy();
  const steps = [stepOf('2', 'created'), stepOf('3', 'deleted'), stepOf('4', 'created')];
  await copy.apply(steps);
  await copy.apply(steps.slice(0, 2));
  expect([copy.cursor, (await copy.get(1))?.id]).toEqual(['4', 1]);
  await copy.apply([...steps, stepOf('5', 'deleted')]);
  expect([copy.cursor, await copy.get(1)]).toEqual(['5', null]);
});

test('steps that the storage could not keep are ahead of the copy until it has kept them', async () => {
  const { storage, copy } = await openCopy();
  jest.spyOn(storage, 'commit').mockRejectedValueOnce(new Error('the disk is full'));
  const steps = [stepOf('2', 'created')];
  await expect(copy.apply(steps)).rejects.toThrow('the disk is full');
  await copy.apply(steps);
  expect([copy.cursor, (await copy.get(1))?.id]).toEqual(['2', 1]);
});
