/** The only part of `submit` that uses kafkajs. */
import { formatTraceparent } from '../../schemas/record-headers.ts';
import type { Brokers } from '../../service/brokers.ts';

import { currentTraceparent, traceMessages } from '../../service/tracing.ts';
import { createKafkaClient } from '../connection/client.ts';
import { explainingRefusals } from '../connection/refusal.ts';
import { type Right, withRight } from '../connection/rights.ts';
import { rememberPartitions, sendAll } from './send-all.ts';

export interface Message {
  key: string;
  value: Buffer;
}

/** A range of a partition's offsets, without `to`. */
export interface OffsetRange {
  partition: number;
  from: number;
  to: number;
}

export interface MessageProducer {
  /**
   * Resolves when every in-sync replica has the messages.
   *
   * @returns their places; the messages of a partition stay in order
   */
  send(messages: Message[]): Promise<OffsetRange[]>;
  close(): Promise<void>;
}

function writeRight(topic: string): Right {
  return { operation: 'Write', resource: 'topic', name: topic };
}

/**
 * Opens a producer for one topic that keeps order and sends no duplicates within its own retries.
 *
 * @throws KafkaRefusal if Kafka refuses this process, as `send` does, and the client's error otherwise
 */
export async function openProducer(brokers: Brokers, topic: string): Promise<MessageProducer> {
  const { chosen, createPartitioner } = rememberPartitions();
  const producer = createKafkaClient({ brokers, clientId: 'ballot-endorsements-submit' }).producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner,
  });
  const write = <T>(action: () => Promise<T>) =>
    explainingRefusals(brokers, () => withRight(writeRight(topic), action));
  try {
    await write(() => producer.connect());
  } catch (error) {
    // Ending an unestablished connection may fail; the first error says more.
    await producer.disconnect().catch(() => {});
    throw error;
  }
  const send = async (given: Message[]): Promise<OffsetRange[]> => {
    const traceparent = currentTraceparent();
    const headers = formatTraceparent(traceparent);
    const messages = traceparent === null ? given : given.map((message) => ({ ...message, headers }));
    const answers = await write(() => sendAll(producer, { topic, messages, chosen }));
    return answers.map(({ partition, baseOffset }) => {
      const from = Number(baseOffset);
      const sent = messages.filter((message) => chosen.get(message) === partition);
      return { partition, from, to: from + sent.length };
    });
  };
  return {
    send(messages) {
      const work = () => ({
        name: `send ${topic}`,
        kind: 'producer' as const,
        traceparents: [],
        attributes: { 'messaging.batch.message_count': messages.length },
      });
      return traceMessages(work, () => send(messages));
    },
    close: () => producer.disconnect(),
  };
}
