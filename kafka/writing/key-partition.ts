import { createLruCache } from '../../service/lru-cache.ts';
import { murmur2 } from '../library.ts';

/** The hashes of keys, which are kept because each takes microseconds. */
const hashes = createLruCache<string, number>(50_000);

/** The partition of a key, as Java's clients choose it. */
export function partitionOfKey(key: string, partitions: number): number {
  let hash = hashes.get(key);
  if (hash === undefined) {
    // Java's clients drop the sign.
    hash = murmur2(key) & 0x7fff_ffff;
    hashes.set(key, hash);
  }
  return hash % partitions;
}
