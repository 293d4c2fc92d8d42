import type { Refusal } from '../../domain/refusal.ts';
import { rejectionCodec } from '../../schemas/submission.ts';
import type { RejectionRecord } from '../../store/stream/pending-rejections.ts';
import type { Entry } from './entry.ts';

/**
 * The record of the rejected topic for an entry: its key is the endorser that the submission names, or else the key that
 * the entry's record had.
 *
 * @param origin the entry's topic and partition
 * @param rejectedAt milliseconds since 1970
 */
export function createRejectionRecord(
  { offset, lastOffset, key, value, truncated, submission }: Entry,
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
    value,
    truncated,
  });
  const endorser = 'code' in submission ? null : Buffer.from(submission.endorser);
  return { key: endorser ?? key ?? Buffer.alloc(0), value: encoded };
}
