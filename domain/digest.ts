/** The number of ids in a bucket of a digest. */
export const BUCKET_SIZE = 4096;

const MODULUS = 2n ** 256n;

/** The sum of the endorsements of a bucket. */
export interface BucketSum {
  /** floor(id / BUCKET_SIZE). */
  bucket: number;
  count: number;
  /** The sum of the hashes of their contents. */
  sum: bigint;
}

/** Digests of a set of endorsements, whole and by bucket. Digests are 64 hexadecimal digits. */
export interface Digest {
  count: number;
  digest: string;
  bucket_size: number;
  /** By id, without empty buckets. */
  buckets: { first_id: number; last_id: number; count: number; digest: string }[];
}

/**
 * Formats a sum of hashes, modulo 2^256. The order of the hashes does not matter, and a hash that is counted
 * twice changes the digest, which XOR would hide.
 */
export function formatDigest(sum: bigint): string {
  return (sum % MODULUS).toString(16).padStart(64, '0');
}

/** @param sums by bucket, in ascending order */
export function createDigest(sums: readonly BucketSum[]): Digest {
  return {
    count: sums.reduce((total, { count }) => total + count, 0),
    digest: formatDigest(sums.reduce((total, { sum }) => total + sum, 0n)),
    bucket_size: BUCKET_SIZE,
    buckets: sums.map(({ bucket, count, sum }) => ({
      first_id: bucket * BUCKET_SIZE,
      last_id: (bucket + 1) * BUCKET_SIZE - 1,
      count,
      digest: formatDigest(sum),
    })),
  };
}
