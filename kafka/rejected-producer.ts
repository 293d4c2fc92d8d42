import type { Kafka, Message, Producer } from 'kafkajs';
import { type Rejection, rejectionCodec, submissionCodec } from '../schemas/submission.ts';

/**
 * Whoever waits for it holds the stream's lock, and with it every other writer up; and is to be heard of by its group
 * before that takes it for gone.
 */
const SEND_DEADLINE_MS = 4000;

/**
 * The endorser that a refused submission names, the key of the rejected topic. Those in which none can be read share
 * the empty key, so that one that is sent twice comes after itself.
 */
function keyOf(value: Buffer | null): string {
  try {
    return value ? submissionCodec.decode(value).endorser : '';
  } catch {
    return '';
  }
}

async function sendInTime(producer: Producer, topic: string, messages: Message[]): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`Kafka did not take refused submissions within ${SEND_DEADLINE_MS} ms.`)),
    SEND_DEADLINE_MS,
  );
  const send = async () => {
    await producer.connect();
    await producer.send({ topic, acks: -1, messages });
  };
  try {
    await Promise.race([send(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends refusals to the rejected topic, once and within seconds or not at all: who asked for it tries again. So a
 * refusal can be there twice, and its origin tells it apart. That is why the broker is not asked to drop copies: after a
 * failure kafkajs gives the number of what failed to what it sends next, and the broker would drop that.
 */
export function createRejectedProducer(kafka: Kafka, topic: string) {
  const open = () => kafka.producer({ retry: { retries: 0 } });
  let producer = open();
  return {
    connect: () => producer.connect(),
    disconnect: () => producer.disconnect(),

    /** Resolves when all brokers that must have it do. Rejects after four seconds at most. */
    async send(rejections: Rejection[]): Promise<void> {
      if (rejections.length === 0) return;
      const messages = rejections.map((rejection) => ({
        key: keyOf(rejection.value),
        value: rejectionCodec.encode(rejection),
      }));
      try {
        await sendInTime(producer, topic, messages);
      } catch (error) {
        // A connection that nobody answers on would fail the next time, too.
        producer.disconnect().catch(() => {});
        producer = open();
        throw error;
      }
    },
  };
}
