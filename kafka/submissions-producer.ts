/** The one place of `submit` that knows kafkajs. */
import { Partitioners } from 'kafkajs';
import { withAdmin } from './admin.ts';
import { createKafkaClient } from './client.ts';

export interface Message {
  key: string;
  value: Buffer;
}

export interface MessageProducer {
  /** Resolves when every in-sync replica has the messages. */
  send(messages: Message[]): Promise<void>;
  close(): Promise<void>;
}

/** Whether the topic is there; asking does not make it. */
export async function topicExists(brokers: string[], topic: string): Promise<boolean> {
  return withAdmin(brokers, async (admin) => (await admin.listTopics()).includes(topic));
}

/**
 * A producer to one topic that keeps order and sends nothing twice within its own retries. Partitions are chosen by
 * key as Java's clients choose them, so that every writer puts one endorser in one partition.
 */
export async function openProducer(brokers: string[], topic: string): Promise<MessageProducer> {
  const producer = createKafkaClient({ brokers, clientId: 'ballot-endorsements-submit' }).producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  try {
    await producer.connect();
  } catch (error) {
    // Ending a connection that could not be made may fail; the first error says more.
    await producer.disconnect().catch(() => {});
    throw error;
  }
  return {
    async send(messages) {
      await producer.send({ topic, messages, acks: -1 });
    },
    close: () => producer.disconnect(),
  };
}
