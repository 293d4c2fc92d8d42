import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BUCKET_SIZE, createDigest, formatDigest } from '../../domain/digest.ts';

const hash = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const sumOf = (hashes: readonly bigint[]): bigint => hashes.reduce((sum, each) => sum + each, 0n);

describe('a digest of hashes', () => {
  test('has 64 hexadecimal digits for any sum', () => {
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 20 }), (hashes) => {
        expect(formatDigest(sumOf(hashes))).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
    expect(formatDigest(2n ** 256n + 255n)).toBe('ff'.padStart(64, '0'));
  });

  test('differs if a hash is added, removed, repeated or replaced', () => {
    fc.assert(
      fc.property(fc.array(hash, { minLength: 1, maxLength: 20 }), hash, (hashes, other) => {
        fc.pre(other !== 0n && other !== hashes[0] && hashes[0] !== 0n);
        const digest = formatDigest(sumOf(hashes));
        expect(formatDigest(sumOf([...hashes, other]))).not.toBe(digest);
        expect(formatDigest(sumOf(hashes.slice(1)))).not.toBe(digest);
        expect(formatDigest(sumOf([...hashes, hashes[0] ?? 0n]))).not.toBe(digest);
        expect(formatDigest(sumOf([other, ...hashes.slice(1)]))).not.toBe(digest);
      }),
    );
  });

  test('of all buckets is the sum of their digests', () => {
    fc.assert(
      fc.property(fc.array(fc.array(hash, { minLength: 1, maxLength: 5 }), { maxLength: 5 }), (buckets) => {
        const sums = buckets.map((hashes, bucket) => ({ bucket, count: hashes.length, sum: sumOf(hashes) }));
        const digest = createDigest(sums);
        expect(digest.digest).toBe(formatDigest(sumOf(buckets.flat())));
        expect(digest.count).toBe(buckets.flat().length);
        expect(formatDigest(sumOf(digest.buckets.map((each) => BigInt(`0x${each.digest}`))))).toBe(
          digest.digest,
        );
      }),
    );
  });
});

test('buckets have their first and last id', () => {
  const sums = [0, 7].map((bucket) => ({ bucket, count: 1, sum: 1n }));
  expect(createDigest(sums).buckets).toMatchObject([
    { first_id: 0, last_id: BUCKET_SIZE - 1 },
    { first_id: 7 * BUCKET_SIZE, last_id: 8 * BUCKET_SIZE - 1 },
  ]);
});

test('nothing has a digest of zero', () => {
  expect(createDigest([])).toEqual({
    count: 0,
    digest: '0'.repeat(64),
    bucket_size: BUCKET_SIZE,
    buckets: [],
  });
});
