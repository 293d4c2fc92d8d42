import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decoder } from '../../../gateway/feed/decoder.ts';
import { renderRecords } from '../../../gateway/feed/rendered-changes.ts';
import { changeCodec } from '../../../schemas/change.ts';
import { change } from '../../helpers/arbitraries.ts';

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

test('gives what decoding in this thread gives, to each who asks at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 5 }), async (batches) => {
      const decoded = await Promise.all(batches.map((records) => decoder.decode(records, 1)));
      const expected = batches.map((records) => renderRecords(records, 1));
      expect(decoded).toEqual(
        expected.map((changes) => ({ ...changes, bytes: new Uint8Array(changes.bytes) })),
      );
    }),
    { numRuns: 50 },
  );
});

test('leaves the records as they were, which others may read', async () => {
  const [records] = fc.sample(fc.array(record, { minLength: 5, maxLength: 5 }), { numRuns: 1, seed: 1 });
  const before = records?.map(({ value }) => Buffer.from(value));
  await decoder.decode(records ?? [], 1);
  expect(records?.map(({ value }) => value)).toEqual(before);
});

test('whoever waits is told when the thread ends, and who asks next has another one', async () => {
  // So much that it cannot be done before.
  const [one] = fc.sample(change, { numRuns: 1, seed: 1 }).map(changeCodec.encode);
  const records = Array.from({ length: 30_000 }, (_, offset) => ({ offset, value: one as Buffer }));
  const waiting = [decoder.decode(records, 1), decoder.decode([], 1)];
  await decoder.close();
  const outcomes = await Promise.allSettled(waiting);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(outcomes[0]).toMatchObject({ reason: { message: expect.stringContaining('thread') } });
  expect((await decoder.decode([], 1)).ends).toHaveLength(0);
});
