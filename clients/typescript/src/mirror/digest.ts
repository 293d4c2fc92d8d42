import { sleep } from '../http/sleep.ts';
import { keepRecord, type MirroredEndorsement } from './record.ts';
import { chooseSha256 } from './sha-256.ts';
import type { IdRange } from './storage.ts';

/** A part of a copy: the endorsements with the same quotient of id and bucket size, rounded down. */
export interface Bucket extends IdRange {
  count: number;
  /** The sum of the hashes of its endorsements modulo 2^256, as 64 hexadecimal digits. */
  digest: string;
}

export interface CopyDigest {
  count: number;
  /** The sum of the buckets' digests modulo 2^256, as 64 hexadecimal digits. */
  digest: string;
  /** The buckets that are not empty, by id. */
  buckets: Bucket[];
}

const MODULUS_BITS = 256;

function format(sum: bigint): string {
  return BigInt.asUintN(MODULUS_BITS, sum).toString(16).padStart(64, '0');
}

/**
 * Computes the digest of a copy, as the service does. An endorsement's hash is SHA-256 over the canonical JSON (RFC
 * 8785) of its content.
 *
 * @param batches the copy, by id
 */
export async function digestCopy(
  batches: AsyncIterable<readonly MirroredEndorsement[]>,
  bucketSize: number,
): Promise<CopyDigest> {
  const hash = chooseSha256();
  const sums = new Map<number, { count: number; sum: bigint }>();
  for await (const records of batches) {
    const hashes = await hash(records.map((record) => JSON.stringify(keepRecord(record))));
    for (const [index, { id }] of records.entries()) {
      const number = Math.floor(id / bucketSize);
      const { count, sum } = sums.get(number) ?? { count: 0, sum: 0n };
      sums.set(number, { count: count + 1, sum: sum + BigInt(`0x${hashes[index]}`) });
    }
    // Other work of the process runs between two batches.
    await sleep(0);
  }
  const buckets = [...sums].map(([number, { count, sum }]) => ({
    first_id: number * bucketSize,
    last_id: (number + 1) * bucketSize - 1,
    count,
    digest: format(sum),
  }));
  const all = [...sums.values()];
  return {
    count: all.reduce((total, { count }) => total + count, 0),
    digest: format(all.reduce((total, { sum }) => total + sum, 0n)),
    buckets,
  };
}

/** The differing buckets of two copies, by id. */
export function differingBuckets(one: readonly Bucket[], other: readonly Bucket[]): IdRange[] {
  const rest = new Map(other.map((bucket) => [bucket.first_id, bucket]));
  const differing: IdRange[] = [];
  for (const { first_id, last_id, count, digest } of one) {
    const match = rest.get(first_id);
    rest.delete(first_id);
    if (match?.count !== count || match.digest !== digest) differing.push({ first_id, last_id });
  }
  for (const { first_id, last_id } of rest.values()) differing.push({ first_id, last_id });
  return differing.sort((a, b) => a.first_id - b.first_id);
}
