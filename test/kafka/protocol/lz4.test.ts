import { describe, expect, test } from '@jest/globals';
import { compressionsAlgorithms } from '@platformatic/kafka';
import fc from 'fast-check';
import { decompress, MAX_DECOMPRESSED_BYTES } from '../../../kafka/protocol/codecs.ts';
import { collectGarbage } from '../../helpers/collect-garbage.ts';

const LZ4 = 3;
const unpack = (bytes: Buffer) => decompress(LZ4, bytes);
const pack = (bytes: Buffer) => Buffer.from(compressionsAlgorithms.lz4.compressSync(bytes));

/** Bytes with short and long repetitions, near and far. */
const repetitive = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 3000 })), { maxLength: 12 })
  .map((parts) => Buffer.concat(parts.flatMap(([part, times]) => Array<Uint8Array>(times).fill(part))));

test('a frame of another implementation is unpacked, and a damaged one is refused or has other bytes', () => {
  fc.assert(
    fc.property(repetitive, fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, place, bits) => {
      const packed = pack(bytes);
      expect(unpack(packed).equals(bytes)).toBe(true);
      const at = place % packed.length;
      packed[at] = (packed[at] as number) ^ bits;
      try {
        expect(unpack(packed).length).toBeLessThanOrEqual(255 * packed.length);
      } catch (error) {
        expect((error as Error).message).not.toBe('');
      }
    }),
    { numRuns: 100 },
  );
});

const MAGIC = [0x04, 0x22, 0x4d, 0x18];
/** Blocks of 64 KB. */
const SIZE = 0x40;
const CHECKSUM = [0, 0, 0, 0];
const END = [0, 0, 0, 0];
const blockOf = (...bytes: number[]) => [bytes.length, 0, 0, 0, ...bytes];
const RAW_AB = [2, 0, 0, 0x80, 0x61, 0x62];
/** No bytes of its own, four from two places before, and "c". */
const REPEATS_AB = blockOf(0, 2, 0, 0x10, 0x63);

test.each([
  ['blocks', [0x40, SIZE, 0, ...RAW_AB, ...REPEATS_AB, ...END]],
  ['a content size', [0x48, SIZE, ...Array<number>(8).fill(9), 0, ...RAW_AB, ...REPEATS_AB, ...END]],
  ['checksums of blocks', [0x50, SIZE, 0, ...RAW_AB, ...CHECKSUM, ...REPEATS_AB, ...CHECKSUM, ...END]],
])('a frame with %s is unpacked, and a block repeats bytes of the one before', (_, frame) => {
  expect(String(unpack(Buffer.from([...MAGIC, ...frame])))).toBe('abababc');
});

/** A length of 15 with this many further bytes of 255. */
const longer = (times: number) => [...Array<number>(times).fill(255), 0];

describe('INV-14: a frame is refused', () => {
  test.each([
    ['of another format', [0, 0, 0, 0, 0x40, SIZE, 0, ...RAW_AB, ...END], 'not an lz4 frame'],
    ['with a dictionary', [...MAGIC, 0x41, SIZE, ...CHECKSUM, 0, ...RAW_AB, ...END], 'not an lz4 frame'],
    ['without an end', [...MAGIC, 0x40, SIZE, 0, ...RAW_AB], 'range'],
    ['whose block is cut off', [...MAGIC, 0x40, SIZE, 0, 9, 0, 0, 0, 0x10, 0x61, ...END], 'cut off'],
    [
      'whose block ends after a match',
      [...MAGIC, 0x40, SIZE, 0, ...blockOf(0x10, 0x61, 1, 0), ...END],
      'range',
    ],
    [
      'that repeats from before its beginning',
      [...MAGIC, 0x40, SIZE, 0, ...REPEATS_AB, ...END],
      'before the beginning',
    ],
    [
      'that repeats from nowhere',
      [...MAGIC, 0x40, SIZE, 0, ...blockOf(0x10, 0x61, 0, 0, 0), ...END],
      'before the beginning',
    ],
    [
      'whose block says more bytes than it has',
      [...MAGIC, 0x40, SIZE, 0, ...blockOf(0x30, 0x61, 0x62), ...END],
      'cut off',
    ],
    [
      'whose block expands to more than its size',
      [...MAGIC, 0x40, SIZE, 0, ...[10 + 257, 1, 0, 0], 0x1f, 0x61, 1, 0, ...longer(261), 0, ...END],
      'longer than it says',
    ],
  ])('%s', (_, frame, reason) => {
    expect(() => unpack(Buffer.from(frame))).toThrow(reason);
  });
});

test('INV-15: damaged frames leave no memory behind', async () => {
  const damaged = pack(Buffer.alloc(MAX_DECOMPRESSED_BYTES - 1));
  damaged[damaged.length - 9000] = 0;
  await collectGarbage();
  const before = process.memoryUsage().rss;
  for (let times = 0; times < 8; times += 1) {
    expect(() => unpack(damaged)).toThrow();
    await collectGarbage();
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(3 * MAX_DECOMPRESSED_BYTES);
});
