import type { Refusal } from '../../domain/refusal.ts';
import { shorten } from '../../schemas/problems.ts';
import { rejectionCodec } from '../../schemas/submission.ts';
import type { RejectionRecord } from '../../store/stream/pending-rejections.ts';
import { MAX_KEY_BYTES, type SubmissionRecord, truncateValue } from './submission-record.ts';

/** The longest reason, in characters. Texts of a producer can be part of it. */
const MAX_REASON = 4000;
/** The longest reason of a stub. */
const MAX_STUB_REASON = 100;

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
    message: shorten(message, MAX_REASON),
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

/**
 * A smaller record, for one that the topic refuses as too large: first with a bounded key and reason, then with half of
 * its value, at last a stub with its origin. The size and digest of the whole value are kept.
 *
 * @throws Error if the record is a stub already
 */
export function shrinkRejection({ key, value }: RejectionRecord): RejectionRecord {
  const rejection = rejectionCodec.decode(value);
  if (key.length > MAX_KEY_BYTES || rejection.message.length > MAX_REASON + 1) {
    const message = shorten(rejection.message, MAX_REASON);
    return { key: key.subarray(0, MAX_KEY_BYTES), value: rejectionCodec.encode({ ...rejection, message }) };
  }
  const half = Math.floor((rejection.value?.length ?? 0) / 2);
  const { value: kept, truncated } = truncateValue(rejection.value, half);
  const message = half === 0 ? shorten(rejection.message, MAX_STUB_REASON) : rejection.message;
  const smaller = { ...rejection, message, value: kept, truncated: rejection.truncated ?? truncated };
  const encoded = rejectionCodec.encode(smaller);
  if (encoded.equals(value)) throw new Error('The rejected topic takes no record at all.');
  return { key, value: encoded };
}
