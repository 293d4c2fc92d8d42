import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readHeaders, readRecords, splitBatches } from '../../../kafka/protocol/record-batches.ts';
import { writeBatch } from '../../../kafka/protocol/write-batch.ts';

const outgoing = fc.record({
  key: fc.string({ unit: 'grapheme' }),
  value: fc
    .oneof(fc.uint8Array(), fc.uint8Array({ minLength: 60, maxLength: 20_000 }))
    .map((bytes) => Buffer.from(bytes)),
  headers: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme', maxLength: 200 })),
});
const PRODUCER = { producerId: 4711n, producerEpoch: 3, firstSequence: 1_000_000 };

function readBatch(bytes: Buffer) {
  const [batch, ...more] = splitBatches(bytes);
  if (!batch || more.length > 0) throw new Error('The bytes are not one batch.');
  return batch;
}

describe('a batch', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.array(outgoing, { minLength: 1, maxLength: 150 }),
        fc.integer({ min: 0, max: 2 ** 45 }),
        (records, timestamp) => {
          const batch = readBatch(writeBatch(records, PRODUCER, timestamp));
          expect(batch).toMatchObject({
            firstOffset: 0,
            lastOffset: records.length - 1,
            newestAt: timestamp,
          });
          const read = readRecords(batch).map(({ key, value, headers, ...rest }) => ({
            ...rest,
            key: String(key),
            value,
            headers: Object.fromEntries(headers ? readHeaders(headers) : []),
          }));
          expect(read).toEqual(
            records.map((record, offset) => ({
              ...record,
              offset,
              timestamp,
              headers: { ...record.headers },
            })),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('of records without headers has no headers', () => {
    const [record] = readRecords(readBatch(writeBatch([{ key: 'a', value: Buffer.of(1) }], PRODUCER, 7)));
    expect(record).toMatchObject({ headers: null, timestamp: 7 });
  });

  test('names its producer and the number of records before it', () => {
    const bytes = writeBatch([{ key: 'a', value: Buffer.of(1) }], PRODUCER, 7);
    expect(bytes.readBigInt64BE(43)).toBe(4711n);
    expect(bytes.readInt16BE(51)).toBe(3);
    expect(bytes.readInt32BE(53)).toBe(1_000_000);
  });
});
