/** The copy of a mirror, whose position two readers of the stream move: a loop and a verification. */
import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Step } from '../../../clients/typescript/src/events/step.ts';
import {
  type EndorsementEvent,
  type ListedEndorsement,
  MemoryStorage,
} from '../../../clients/typescript/src/index.ts';
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

test('a storage is asked once for the position, although several ask together, and again after it failed', async () => {
  const storage = new MemoryStorage();
  await storage.commit([], { cursor: '7', filter: '{}' });
  const load = jest.spyOn(storage, 'load').mockRejectedValueOnce(new Error('the disk is away'));
  const copy = new Copy(storage, normalizeFilter({}));
  const failures = await Promise.allSettled([copy.open(), copy.open()]);
  expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([load.mock.calls.length, copy.cursor]).toEqual([1, null]);
  await Promise.all([copy.open(), copy.open()]);
  await copy.open();
  expect([load.mock.calls.length, copy.cursor]).toEqual([2, '7']);
});

test('a copy with another filter is refused, and its position is not taken', async () => {
  const storage = new MemoryStorage();
  await storage.commit([], { cursor: '7', filter: '{"state":"OR"}' });
  const copy = new Copy(storage, normalizeFilter({}));
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(copy.open()).rejects.toThrow('a copy with the filter {"state":"OR"}');
    expect(copy.cursor).toBeNull();
  }
});

test('a whole list moves the copy to the position of the list, with or without a copy before', async () => {
  const { storage, copy } = await openCopy();
  const first = new Copy(new MemoryStorage(), normalizeFilter({}));
  await first.open();
  expect(first.cursor).toBeNull();
  for (const each of [copy, first]) {
    await each.replaceAll(listOf([1, 2], '9', '8'));
    expect(each.cursor).toBe('8');
  }
  expect(await storage.load()).toEqual({ cursor: '8', filter: '{}' });
});

/** A list of these records, read in one batch. */
async function* listOf(ids: readonly number[], readAt: string, streamCursor = '1') {
  const records = ids.map((id) => ({ ...record, id })) as unknown as ListedEndorsement[];
  yield { records, streamCursor, readAt };
}

test('the latest state that the copy may have parts of is that of its latest event or list, and never goes back', async () => {
  const { copy } = await openCopy();
  const seen: string[] = [];
  await copy.apply([...['2', '3', '4'].map((id) => stepOf(id, 'created')), { cursor: '5', event: null }]);
  seen.push(copy.readAt);
  await copy.apply([{ cursor: '6', event: null }]);
  seen.push(copy.readAt);
  await copy.replaceRange({ first_id: 1, last_id: 1 }, [], '7');
  seen.push(copy.readAt);
  await copy.replaceAll(listOf([1], '8'));
  seen.push(copy.readAt);
  await copy.apply([stepOf('2', 'created')]);
  expect([...seen, copy.readAt]).toEqual(['4', '4', '7', '8', '8']);
});

test('a part that is read again loses the endorsements that the service lacks, and the position stays', async () => {
  const { storage, copy } = await openCopy();
  await copy.replaceAll(listOf([1, 2, 3, 4], '2'));
  const [kept] = (await listOf([3], '').next()).value?.records ?? [];
  await copy.replaceRange({ first_id: 2, last_id: 3 }, kept ? [kept] : [], '3');
  const ids: number[] = [];
  for await (const batch of copy.read()) ids.push(...batch.map(({ id }) => id));
  expect([ids, copy.cursor, await storage.load()]).toEqual([[1, 3, 4], '1', { cursor: '1', filter: '{}' }]);
});

test('a list without a batch, which is not even empty, is refused and leaves the copy', async () => {
  const { copy } = await openCopy();
  await copy.apply([stepOf('2', 'created')]);
  const nothing = async function* () {};
  await expect(copy.replaceAll(nothing())).rejects.toThrow('at least one batch');
  expect([copy.cursor, (await copy.get(1))?.id]).toEqual(['2', 1]);
});
