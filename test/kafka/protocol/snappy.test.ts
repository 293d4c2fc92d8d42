import { describe, expect, test } from '@jest/globals';
import { compressionsAlgorithms } from '@platformatic/kafka';
import fc from 'fast-check';
import { decompress } from '../../../kafka/protocol/codecs.ts';

const SNAPPY = 2;
const unpack = (...bytes: number[]) => String(decompress(SNAPPY, Buffer.from(bytes)));
const pack = (bytes: Buffer) => Buffer.from(compressionsAlgorithms.snappy.compressSync(bytes));
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]);

/** Blocks as Java's clients write them. */
function frame(blocks: readonly Buffer[]): Buffer {
  const parts = blocks.map((block) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(block.length);
    return Buffer.concat([length, block]);
  });
  return Buffer.concat([XERIAL, ...parts]);
}

/** Bytes with short and long repetitions, near and far. */
const repetitive = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 90 }), fc.integer({ min: 1, max: 2000 })), { maxLength: 8 })
  .map((parts) => Buffer.concat(parts.flatMap(([part, times]) => Array<Uint8Array>(times).fill(part))));

test('blocks of another implementation are unpacked, alone or in a frame', () => {
  fc.assert(
    fc.property(repetitive, repetitive, (one, other) => {
      expect(decompress(SNAPPY, pack(one)).equals(one)).toBe(true);
      const both = decompress(SNAPPY, frame([one, other].map(pack)));
      expect(both.equals(Buffer.concat([one, other]))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test.each<[string, number[], string]>([
  ['from one byte back', [6, 0x04, 0x61, 0x62, 0x01, 1], 'abbbbb'],
  ['with a distance of two bytes', [6, 0x04, 0x61, 0x62, 0x0e, 2, 0], 'ababab'],
  ['with a distance of four bytes', [6, 0x04, 0x61, 0x62, 0x0f, 2, 0, 0, 0], 'ababab'],
  ['of no bytes', [2, 0x04, 0x61, 0x62], 'ab'],
  ['after a literal whose length has a byte of its own', [5, 0xf0, 0, 0x61, 0x01, 1], 'aaaaa'],
])('a block with a repetition %s is unpacked', (_, block, text) => {
  expect(unpack(...block)).toBe(text);
});

describe('INV-14: a block is refused', () => {
  test.each<[string, number[], string]>([
    ['without a length', [0xff, 0xff, 0xff, 0xff, 0xff], 'no length'],
    ['whose literal is cut off', [9, 0x10, 0x61], 'cut off'],
    ['that repeats from before its beginning', [9, 0x00, 0x61, 0x01, 2], 'before the beginning'],
    ['that repeats from nowhere', [9, 0x00, 0x61, 0x01, 0], 'before the beginning'],
    ['that is longer than it says', [3, 0x00, 0x61, 0x01, 1], 'longer than it says'],
    ['that is shorter than it says', [9, 0x00, 0x61, 0x01, 1], 'shorter than it says'],
    [
      'that says much more than its bytes can become',
      [0x80, 0x80, 0x80, 0x10, 0x00, 0x61],
      'shorter than it says',
    ],
    ['of a frame, and is cut off', [...XERIAL, 0, 0, 0, 9, 1, 0x00, 0x61], 'cut off'],
  ])('%s', (_, block, reason) => {
    expect(() => unpack(...block)).toThrow(reason);
  });
});

test('INV-14: a batch is unpacked after many damaged ones', () => {
  const damaged = [0xc0, 0x84, 0x3d, 1, 2, 3];
  for (let times = 0; times < 10_000; times += 1) expect(() => unpack(...damaged)).toThrow();
  expect(decompress(SNAPPY, pack(Buffer.from('good'))).toString()).toBe('good');
});
