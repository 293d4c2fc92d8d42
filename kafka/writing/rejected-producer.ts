import type { Kafka, Producer } from 'kafkajs';
import type { Brokers } from '../../service/brokers.ts';
import { withDeadline } from '../../service/deadline.ts';
import { KafkaUnavailableError } from '../../service/failure.ts';
import { explainingRefusals } from '../connection/refusal.ts';
import { errorsWithin, type Right, withRight } from '../connection/rights.ts';

/** A record of the rejected topic. */
export interface RejectedRecord {
  key: Buffer;
  value: Buffer;
}

/** The time limit of a request, in milliseconds: the broker may have vanished silently. */
const SEND_DEADLINE_MS = 10_000;

/** The batch is larger than the topic allows. */
export class RecordTooLargeError extends Error {
  override name = 'RecordTooLargeError';
}

/**
 * Sends rejections. A failed request may still have arrived, so the topic can hold a rejection twice, with
 * the same origin. The producer is not idempotent: after a failure, kafkajs reuses the failed records'
 * sequence numbers, and the broker would drop the next records as duplicates.
 */
export function createRejectedProducer(
  kafka: Kafka,
  { brokers, topic }: { brokers: Brokers; topic: string },
) {
  const right: Right = { operation: 'Write', resource: 'topic', name: topic };
  const open = () => kafka.producer({ retry: { retries: 0 }, allowAutoTopicCreation: false });
  let producer: Producer = open();
  const send = (messages: RejectedRecord[]) =>
    explainingRefusals(brokers, () =>
      withRight(right, async () => {
        // If this is given up, the next request has another one.
        const own = producer;
        await own.connect();
        await own.send({ topic, acks: -1, messages });
      }),
    );
  return {
    disconnect: () => producer.disconnect(),

    /**
     * Sends records, in one batch for each partition. Resolves when all in-sync replicas have them.
     *
     * @throws RecordTooLargeError if a batch is larger than the topic allows, KafkaRefusal if Kafka refuses
     *   this process, and the client's error for other failures
     */
    async send(records: RejectedRecord[]): Promise<void> {
      const late = () =>
        new KafkaUnavailableError(`Kafka did not take rejections within ${SEND_DEADLINE_MS} ms.`);
      try {
        await withDeadline(send(records), SEND_DEADLINE_MS, late);
      } catch (error) {
        if ([...errorsWithin(error)].some(({ type }) => type === 'MESSAGE_TOO_LARGE'))
          throw new RecordTooLargeError(`A batch is too large for ${topic}.`, { cause: error });
        // A dead connection would fail the next time too. Ending it may fail for the same reason.
        producer.disconnect().catch(() => {});
        producer = open();
        throw error;
      }
    },
  };
}

export type RejectedProducer = ReturnType<typeof createRejectedProducer>;
