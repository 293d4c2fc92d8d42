/** The digest for comparing a mirror of the TypeScript client with the service. */
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MirroredEndorsement } from '../../../clients/typescript/src/index.ts';
import { differingBuckets, digestCopy } from '../../../clients/typescript/src/mirror/digest.ts';
import { keepRecord } from '../../../clients/typescript/src/mirror/record.ts';
import { mirroredEndorsement } from '../../helpers/clients/mirrored.ts';

/** Canonical JSON (RFC 8785) of values whose numbers are whole. */
function canonicalize(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalize)}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalize(member)}`)}}`;
}

/** The sum of the hashes, computed byte by byte. */
function sumHashes(records: readonly MirroredEndorsement[]): string {
  const sum = Buffer.alloc(32);
  for (const record of records) {
    const hash = createHash('sha256').update(canonicalize(record)).digest();
    let carry = 0;
    for (let index = 31; index >= 0; index -= 1) {
      const total = (sum[index] ?? 0) + (hash[index] ?? 0) + carry;
      sum[index] = total & 0xff;
      carry = total >> 8;
    }
  }
  return sum.toString('hex');
}

async function* inBatches(records: MirroredEndorsement[], size: number) {
  for (let start = 0; start < records.length; start += size) yield records.slice(start, start + size);
}

const copy = fc.uniqueArray(mirroredEndorsement(fc.nat({ max: 40 })), { selector: ({ id }) => id });
const { getBuiltinModule } = process;
/** Chooses what hashes: browsers have no modules of Node. */
const hashBy = (by: string) =>
  Object.assign(process, { getBuiltinModule: by === 'WebCrypto' ? undefined : getBuiltinModule });
afterEach(() => void hashBy('node:crypto'));

describe('the digest of a copy', () => {
  test.each(['node:crypto', 'WebCrypto'])('is the sum of the hashes of its records, with %s', async (by) => {
    await fc.assert(
      fc.asyncProperty(copy, fc.integer({ min: 1, max: 16 }), async (records, size) => {
        hashBy(by);
        const { count, digest, buckets } = await digestCopy(inBatches(records, 3), size);
        hashBy('node:crypto');
        expect(count).toBe(records.length);
        expect(digest).toBe(sumHashes(records));
        for (const bucket of buckets) {
          const { first_id, last_id } = bucket;
          expect([first_id % size, last_id - first_id]).toEqual([0, size - 1]);
          const own = records.filter(({ id }) => id >= first_id && id <= last_id);
          expect(bucket).toMatchObject({ count: own.length, digest: sumHashes(own) });
        }
        expect(buckets.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(records.length);
      }),
      { numRuns: 25 },
    );
  });

  test('does not depend on the order of keys in stored records', () => {
    fc.assert(
      fc.property(mirroredEndorsement(fc.nat()), (record) => {
        const reversed = (value: unknown): unknown =>
          typeof value === 'object' && value !== null
            ? Object.fromEntries(
                Object.entries(value)
                  .reverse()
                  .map(([key, part]) => [key, reversed(part)]),
              )
            : value;
        const kept = keepRecord(reversed(record) as MirroredEndorsement);
        expect(JSON.stringify(kept)).toBe(canonicalize(record));
      }),
    );
  });

  test('differs in exactly the buckets in which copies differ', async () => {
    await fc.assert(
      fc.asyncProperty(copy, copy, async (some, others) => {
        const [one, other] = await Promise.all(
          [some, others].map((records) => digestCopy(inBatches(records, 100), 8)),
        );
        const text = (records: MirroredEndorsement[], first: number) =>
          records
            .filter(({ id }) => Math.floor(id / 8) === first / 8)
            .map(canonicalize)
            .sort()
            .join();
        const expected = [0, 8, 16, 24, 32, 40].filter((first) => text(some, first) !== text(others, first));
        const found = differingBuckets(one?.buckets ?? [], other?.buckets ?? []);
        expect(found).toEqual(expected.map((first_id) => ({ first_id, last_id: first_id + 7 })));
      }),
    );
  });
});
