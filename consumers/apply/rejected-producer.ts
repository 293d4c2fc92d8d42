import type { Kafka } from 'kafkajs';
import { type Rejection, rejectionCodec, submissionCodec } from '../../schemas/submission.ts';

/** The endorser that a refused submission names, where it can be read; the key of the rejected topic. */
function keyOf(value: Buffer | null): string | null {
  try {
    return value && submissionCodec.decode(value).endorser;
  } catch {
    return null;
  }
}

/** Sends refusals to the rejected topic. A refusal can be sent twice after a crash; its origin tells it apart. */
export function createRejectedProducer(kafka: Kafka, topic: string) {
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  return {
    connect: () => producer.connect(),
    disconnect: () => producer.disconnect(),
    /** Resolves when all brokers that must have it do. */
    async send(rejections: Rejection[]): Promise<void> {
      if (rejections.length === 0) return;
      const messages = rejections.map((rejection) => ({
        key: keyOf(rejection.value),
        value: rejectionCodec.encode(rejection),
      }));
      await producer.send({ topic, acks: -1, messages });
    },
  };
}
