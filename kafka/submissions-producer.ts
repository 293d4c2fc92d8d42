/** The one place of `submit` that knows kafkajs. */
import { type ICustomPartitioner, Partitioners } from 'kafkajs';
import { withAdmin } from './admin.ts';
import { createKafkaClient } from './client.ts';

export interface Message {
  key: string;
  value: Buffer;
}

/** A run of a partition's offsets; `to` is not included. */
export interface OffsetRange {
  partition: number;
  from: number;
  to: number;
}

export interface MessageProducer {
  /**
   * Resolves when every in-sync replica has the messages.
   *
   * @returns where they are; the messages of a partition follow each other in their order
   */
  send(messages: Message[]): Promise<OffsetRange[]>;
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
  /** The partition of each message of the present request; a request that is tried again chooses again. */
  const chosen = new Map<unknown, number>();
  const createPartitioner: ICustomPartitioner = () => {
    const choose = Partitioners.DefaultPartitioner();
    return (args) => {
      const partition = choose(args);
      chosen.set(args.message, partition);
      return partition;
    };
  };
  const producer = createKafkaClient({ brokers, clientId: 'ballot-endorsements-submit' }).producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner,
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
      chosen.clear();
      const answers = await producer.send({ topic, messages, acks: -1 });
      return answers.map(({ partition, baseOffset }) => {
        const from = Number(baseOffset);
        const sent = messages.filter((message) => chosen.get(message) === partition);
        return { partition, from, to: from + sent.length };
      });
    },
    close: () => producer.disconnect(),
  };
}
