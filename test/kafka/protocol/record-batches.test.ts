import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { compressionsAlgorithms, crc32c, createRecordsBatch, type MessageRecord } from '@platformatic/kafka';
import fc from 'fast-check';
import { decompress, MAX_DECOMPRESSED_BYTES } from '../../../kafka/protocol/codecs.ts';
import {
  type RecordBatch,
  readHeaders,
  readRecords,
  splitBatches,
  UnreadableBatchError,
} from '../../../kafka/protocol/record-batches.ts';

const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

interface Fields {
  key: Buffer | null;
  value: Buffer | null;
  timestamp?: number;
}

const TIME = Date.UTC(2026, 10, 3);

/** A batch as a producer sends it. The broker would set its first offset. */
function createBatch(records: Fields[], codec: (typeof CODECS)[number] = 'none', firstOffset = 0): Buffer {
  const messages = records.map(({ key, value, timestamp = TIME }) => ({
    topic: 'any',
    key,
    value,
    timestamp: BigInt(timestamp),
    headers: new Map([[Buffer.from('trace'), Buffer.from('1')]]),
  }));
  const writer = createRecordsBatch(messages as MessageRecord[], {
    compression: codec,
  });
  const bytes = Buffer.from(writer.buffer);
  bytes.writeBigInt64BE(BigInt(firstOffset), 0);
  return bytes;
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const time = fc.integer({ min: TIME - 1e9, max: TIME + 1e9 });
const record = fc.record({ key: fc.option(bytes), value: fc.option(bytes), timestamp: time });
const records = fc.array(record, { minLength: 1, maxLength: 20 });

test.each(CODECS)('reads what producers write with %s', (codec) => {
  fc.assert(
    fc.property(fc.array(records, { maxLength: 4 }), (batches) => {
      let offset = 7;
      const written = batches.map((batch) => {
        const log = createBatch(batch, codec, offset);
        offset += batch.length;
        return log;
      });
      const read = [...splitBatches(Buffer.concat(written))].flatMap((batch) => readRecords(batch));
      const expected = batches.flat().map((record, index) => ({ offset: 7 + index, ...record }));
      expect(read.map(({ headers, ...rest }) => rest)).toEqual(expected);
      for (const { headers } of read)
        expect(headers && readHeaders(headers)).toEqual(new Map([['trace', '1']]));
    }),
    { numRuns: 30 },
  );
});

test("records of a topic with append times have the broker's time, whatever their producer sent", () => {
  const fields = [TIME - 5000, TIME + 5000].map((timestamp) => ({ key: null, value: null, timestamp }));
  const batch = createBatch(fields);
  batch.writeInt16BE(batch.readInt16BE(21) | (1 << 3), 21);
  batch.writeBigInt64BE(BigInt(TIME + 60_000), 35);
  const [read] = [...splitBatches(withChecksum(batch))];
  const times = readRecords(read as RecordBatch).map(({ timestamp }) => timestamp);
  expect([read?.newestAt, ...times]).toEqual(new Array(3).fill(TIME + 60_000));
});

test('leaves a cut-off batch to the next fetch', () => {
  const whole = createBatch([{ key: null, value: Buffer.from('one') }]);
  for (let length = 0; length < whole.length; length += 1) {
    const read = [...splitBatches(Buffer.concat([whole, whole.subarray(0, length)]))];
    expect(read).toHaveLength(1);
  }
});

test.each(CODECS)('reads a %s batch thinned by compaction, and passes all its offsets', (codec) => {
  const holes = fc.integer({ min: 1, max: 1000 });
  fc.assert(
    fc.property(records, holes, (batch, missing) => {
      const thinned = createBatch(batch, codec, 40);
      const lastOffset = 40 + batch.length - 1 + missing;
      thinned.writeInt32BE(lastOffset - 40, 23);
      const next = createBatch([{ key: null, value: Buffer.from('next') }], codec, lastOffset + 1);
      const [first, second] = [...splitBatches(Buffer.concat([withChecksum(thinned), next]))];
      expect([first?.firstOffset, first?.lastOffset]).toEqual([40, lastOffset]);
      expect(second?.firstOffset).toBe(lastOffset + 1);
      expect(readRecords(first as RecordBatch).map(({ offset }) => offset)).toEqual(
        batch.map((_, index) => 40 + index),
      );
    }),
    { numRuns: 30 },
  );
});

test.each(CODECS)('INV-14: damage to a %s batch is found, and its offsets are known', (codec) => {
  fc.assert(
    fc.property(records, fc.nat(), fc.integer({ min: 1, max: 255 }), (batch, place, bits) => {
      const damaged = createBatch(batch, codec, 40);
      // The checksum does not cover the length and the offset, which the broker sets.
      const at = 16 + (place % (damaged.length - 16));
      damaged[at] = (damaged[at] as number) ^ bits;
      const [read] = [...splitBatches(damaged)];
      expect(read?.firstOffset).toBe(40);
      expect(() => readRecords(read as NonNullable<typeof read>)).toThrow(UnreadableBatchError);
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['the count of records, 3 for 2', 57, 3],
  ['the count of records, 1 for 2', 57, 1],
  ['the offset of the last record', 23, 0],
])('INV-14: a batch that lies about %s is unreadable, even with a right checksum', (_, at, lie) => {
  const record = { key: null, value: Buffer.from('one') };
  const batch = createBatch([record, record]);
  batch.writeIntBE(lie, at, 4);
  const [read] = [...splitBatches(withChecksum(batch))];
  expect(() => readRecords(read as NonNullable<typeof read>)).toThrow(UnreadableBatchError);
});

/** A batch with these bytes instead of its records, and a right checksum. @param attributes 1 for gzip */
function createRawBatch(payload: number[], attributes = 0): RecordBatch {
  const header = createBatch([{ key: null, value: null }]).subarray(0, 61);
  const batch = Buffer.concat([header, Buffer.from(payload)]);
  batch.writeInt32BE(batch.length - 12, 8);
  batch.writeInt16BE(attributes, 21);
  return [...splitBatches(withChecksum(batch))][0] as RecordBatch;
}

/** Attributes, time and offset of a record, no key, the value "x". A length n is written as 2n, a negative one as -2n - 1. */
const PARTS = [0, 0, 0, 1, 2, 0x78];
test.each([
  ['a record of less than nothing', [1, ...PARTS, 0], 'a record is cut off'],
  ['a record of more bytes than the batch has', [16, ...PARTS, 0], 'a record is cut off'],
  ['a record whose value goes beyond it', [10, ...PARTS, 0], 'a record is longer than it says'],
  [
    'a record whose parts without a value go beyond it',
    [6, 0, 0, 0, 1, 1, 0],
    'a record is longer than it says',
  ],
  [
    'an integer that does not end',
    [14, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
    'more than 64 bits',
  ],
])('INV-14: a batch with %s is unreadable, even with a right checksum', (_, payload, reason) => {
  const batch = createRawBatch(payload);
  expect(() => readRecords(batch)).toThrow(UnreadableBatchError);
  expect(() => readRecords(batch)).toThrow(reason);
});

test('a record can end without a count of headers, or with one of nothing', () => {
  const read = [createRawBatch([12, ...PARTS]), createRawBatch([14, ...PARTS, 0])].flatMap(readRecords);
  expect(read.map(({ value, headers }) => [String(value), headers])).toEqual([
    ['x', null],
    ['x', null],
  ]);
});

test('INV-14: a batch that says gzip of other bytes is unreadable, even with a right checksum', () => {
  expect(() => readRecords(createRawBatch([14, ...PARTS, 0], 1))).toThrow(
    /^its records cannot be decompressed: ./,
  );
});

test('headers without a name or a value are empty texts', () => {
  expect(readHeaders(Buffer.from([4, 1, 1, 2, 0x61, 1]))).toEqual(
    new Map([
      ['', ''],
      ['a', ''],
    ]),
  );
});

/** A snappy length of a million, which random bytes cannot fill. Short noise can be valid snappy by chance. */
const ANNOUNCED_LENGTH = Buffer.from([0xc0, 0x84, 0x3d]);
const SNAPPY = 2;

test('INV-14: bytes of no codec are refused, and the next batch is read', () => {
  const good = createBatch([{ key: null, value: Buffer.from('good') }], 'lz4');
  expect(() => decompress(SNAPPY, Buffer.alloc(0))).toThrow();
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), bytes, (codec, noise) => {
      const unmade = codec === SNAPPY ? Buffer.concat([ANNOUNCED_LENGTH, noise]) : noise;
      expect(() => decompress(codec, unmade)).toThrow();
      const [read] = [...splitBatches(good)];
      expect(readRecords(read as NonNullable<typeof read>)[0]?.value?.toString()).toBe('good');
    }),
    { numRuns: 300 },
  );
});

const ZEROS = Buffer.alloc(MAX_DECOMPRESSED_BYTES + 1);
test.each([
  ['gzip', 1, () => gzipSync(ZEROS, { level: 1 })],
  ['snappy', 2, () => compressionsAlgorithms.snappy.compressSync(ZEROS)],
  ['lz4', 3, () => compressionsAlgorithms.lz4.compressSync(ZEROS)],
  ['zstd', 4, () => zstdCompressSync(ZEROS)],
])('INV-14: a %s bomb is refused before it uses memory', (_, codec, compress) => {
  const bomb = Buffer.from(compress());
  expect(bomb.length).toBeLessThan(MAX_DECOMPRESSED_BYTES / 15);
  const before = process.memoryUsage().rss;
  expect(() => decompress(codec, bomb)).toThrow();
  expect(process.memoryUsage().rss - before).toBeLessThan(2 * MAX_DECOMPRESSED_BYTES);
});

test('gzip of several parts is unpacked whole, whatever length the last part states', () => {
  const parts = [Buffer.alloc(300_000, 'a'), Buffer.alloc(0), Buffer.from('b')];
  const unpacked = decompress(1, Buffer.concat(parts.map((part) => gzipSync(part))));
  expect(unpacked.equals(Buffer.concat(parts))).toBe(true);
});

test('INV-15: a gzip batch gets no more memory for its stated length than its bytes can fill', () => {
  const packed = gzipSync(Buffer.from('short'));
  packed.writeUInt32LE(2 ** 32 - 1, packed.length - 4);
  const before = process.memoryUsage().arrayBuffers;
  for (let times = 0; times < 20; times += 1) expect(() => decompress(1, packed)).toThrow(/length/);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MAX_DECOMPRESSED_BYTES / 2);
});

function withChecksum(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}
