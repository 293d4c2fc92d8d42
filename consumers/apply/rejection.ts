import type { Refusal } from '../../domain/refusal.ts';
import { rejectionCodec } from '../../schemas/submission.ts';
import type { RejectionRecord } from '../../store/stream/pending-rejections.ts';
import type { SubmissionRecord } from './submission-record.ts';

/**
 * The rejected topic's record for a submission record. Its key is the endorser that the submission names, or
 * else the submission record's key.
 *
 * @param origin the record's topic and partition
 * @param rejectedAt milliseconds since 1970
 */
export function createRejectionRecord(
  { offset, lastOffset, key, value, truncated, submission }: SubmissionRecord,
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
