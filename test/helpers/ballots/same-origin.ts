import { topicNames } from '../../../kafka/topic-names.ts';
import { openProducer } from '../../../kafka/writing/submissions-producer.ts';
import { rejectionCodec, submissionCodec } from '../../../schemas/submission.ts';
import type { TestService } from '../service/service.ts';
import { endorse } from './submissions.ts';

/** The times at which the submissions of `rejectAtSameOrigin` were rejected. */
export const EARLIER = '2026-05-02T10:00:00.000Z';
export const LATER = '2026-05-03T10:00:00.000Z';

/**
 * Sends the rejections of two submissions with the same origin, as after the submissions topic was created again: the
 * first endorser's of EARLIER, and the second one's of LATER. A crash has recorded the second one twice.
 */
export async function rejectAtSameOrigin(
  { brokers, topicPrefix }: TestService,
  [partition, offset]: [number, number],
  [first, second]: [string, string],
): Promise<void> {
  const { submissions: topic, rejected } = topicNames(topicPrefix);
  const messages = [
    { key: first, time: EARLIER },
    { key: second, time: LATER },
    { key: second, time: LATER },
  ].map(({ key, time }) => ({
    key,
    value: rejectionCodec.encode({
      ...{ code: 'unknown_endorser', message: 'No.', topic, partition, offset, last_offset: null },
      value: submissionCodec.encode(endorse(key, 'mayor', 'ann')),
      ...{ rejected_at: Date.parse(time), truncated: null },
    }),
  }));
  const producer = await openProducer(brokers, rejected);
  await producer.send(messages);
  await producer.close();
}
