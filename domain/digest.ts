/** How many ids a bucket of a digest spans. */
export const BUCKET_SIZE = 4096;

const MODULUS = 2n ** 256n;

/** The endorsements of a bucket, added up. */
export interface BucketSum {
  /** floor(id / BUCKET_SIZE) of its endorsements. */
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
  /** By id, and without those that are empty. */
  buckets: { first_id: number; last_id: number; count: number; digest: string }[];
}

/**
 * A sum of hashes as a digest: modulo 2^256, so that the order of the hashes does not matter, and one that counts twice
 * shows, which it would not with XOR.
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
