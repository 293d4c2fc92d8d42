import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decoder } from '../../feed/decoder.ts';
import { readEvents } from '../../feed/read-events.ts';
import type { EventAt } from '../../feed/rendered-event.ts';
import { packChanges, unpackChanges } from '../../feed/transferable-changes.ts';
import { changeCodec } from '../../schemas/change.ts';
import { createLog } from '../../service/log.ts';
import { change } from '../helpers/properties/arbitraries.ts';

const decoder = new Decoder();
afterAll(() => decoder.close());

const record = fc.record({
  offset: fc.nat(),
  value: fc.oneof(
    { weight: 5, arbitrary: change.map((of) => Buffer.from(changeCodec.encode({ ...of, epoch: 1 }))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
  ),
});
const batch = fc.array(record, { maxLength: 20 });

test('decodes several batches at a time exactly as this thread does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 5 }), async (batches) => {
      const decoded = await Promise.all(batches.map((records) => decoder.decode(records, 1)));
      const expected = batches.map((records) => packChanges(records, 1));
      expect(decoded).toEqual(
        expected.map((changes) => ({ ...changes, bytes: new Uint8Array(changes.bytes) })),
      );
    }),
    { numRuns: 50 },
  );
});

test('unpacks to the events that this thread creates', async () => {
  await fc.assert(
    fc.asyncProperty(batch, async (records) => {
      const log = createLog('test', 'silent');
      const describe = ({ event, offset }: EventAt) => ({
        ...{ offset, sequence: event.sequence, occurredAt: event.occurredAt },
        ...{ facets: event.facets, id: event.id, json: event.json, frame: event.frame },
      });
      const unpacked = unpackChanges(await decoder.decode(records, 1));
      expect(unpacked.map(describe)).toEqual(readEvents(records, 1, log).entriesAt.map(describe));
    }),
    { numRuns: 50 },
  );
});

test('does not modify the records, which others may read', async () => {
  const [records] = fc.sample(fc.array(record, { minLength: 5, maxLength: 5 }), { numRuns: 1, seed: 1 });
  const before = records?.map(({ value }) => Buffer.from(value));
  await decoder.decode(records ?? [], 1);
  expect(records?.map(({ value }) => value)).toEqual(before);
});

test('rejects waiting requests when the thread ends, and starts another thread for the next', async () => {
  // Too many records to be decoded before the thread is closed.
  const [one] = fc.sample(change, { numRuns: 1, seed: 1 }).map(changeCodec.encode);
  const records = Array.from({ length: 30_000 }, (_, offset) => ({ offset, value: one as Buffer }));
  const waiting = [decoder.decode(records, 1), decoder.decode([], 1)];
  await decoder.close();
  const outcomes = await Promise.allSettled(waiting);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(outcomes[0]).toMatchObject({ reason: { message: expect.stringContaining('thread') } });
  expect((await decoder.decode([], 1)).ends).toHaveLength(0);
});

test('a request after the failure of the thread is answered by the next one, while the first one still ends', async () => {
  const [one] = fc.sample(change, { numRuns: 1, seed: 1 }).map(changeCodec.encode);
  // An epoch of another type makes the thread fail.
  const failing = decoder.decode([{ offset: 0, value: one as Buffer }], 1n as unknown as number);
  const next = failing.catch(() => decoder.decode([], 1));
  await expect(failing).rejects.toThrow(TypeError);
  expect((await next).ends).toHaveLength(0);
});
