import { createHash } from 'node:crypto';
import type { Refusal } from '../../domain/refusal.ts';
import { rejectionCodec } from '../../schemas/submission.ts';
import type { RejectionRecord } from '../../store/stream/pending-rejections.ts';
import type { Entry } from './entry.ts';

/** The largest value that is kept whole, in bytes: whatever a producer can send uncompressed. */
const MAX_WHOLE_BYTES = 1_100_000;

/** The part of a value that is kept: all of it if it fits, else its beginning with the size and digest of the whole. */
export function truncateValue(value: Buffer | null, maxBytes: number) {
  if (value === null || value.length <= maxBytes) return { value, truncated: null };
  const truncated = { size: value.length, sha256: createHash('sha256').update(value).digest() };
  return { value: value.subarray(0, maxBytes), truncated };
}

/**
 * The record of the rejected topic for an entry: its key is the endorser that the submission names, or else the key that
 * the entry's record had.
 *
 * @param origin the entry's topic and partition
 * @param rejectedAt milliseconds since 1970
 */
export function createRejectionRecord(
  { offset, lastOffset, key, value, submission }: Entry,
  { code, message }: Refusal,
  { topic, partition }: { topic: string; partition: number },
  rejectedAt: number,
): RejectionRecord {
  const encoded = rejectionCodec.encode({
    code,
    message,
    topic,
    partition,
    offset,
    rejected_at: rejectedAt,
    last_offset: lastOffset,
    ...truncateValue(value, MAX_WHOLE_BYTES),
  });
  const endorser = 'code' in submission ? null : Buffer.from(submission.endorser);
  return { key: endorser ?? key ?? Buffer.alloc(0), value: encoded };
}
