import {
  type ICustomPartitioner,
  type Message,
  Partitioners,
  type Producer,
  type RecordMetadata,
} from 'kafkajs';

import { partitionOfKey } from './key-partition.ts';

/** The partition of each message, for as long as somebody has the message: several sends may be under way. */
type Chosen = WeakMap<Message, number>;

/**
 * Creates what a producer and `sendAll` share. Partitions are chosen by key as Java's clients choose them, so that every
 * writer puts one endorser in one partition.
 */
export function rememberPartitions(): { chosen: Chosen; createPartitioner: ICustomPartitioner } {
  const chosen: Chosen = new WeakMap();
  return {
    chosen,
    createPartitioner: () => {
      const choose = Partitioners.DefaultPartitioner();
      return (args) => {
        const { key, partition: wanted } = args.message;
        const partition =
          typeof key === 'string' && wanted === undefined
            ? partitionOfKey(key, args.partitionMetadata.length)
            : choose(args);
        chosen.set(args.message, partition);
        return partition;
      };
    },
  };
}

/**
 * Sends messages until each of their partitions has acknowledged them.
 *
 * When a leader moves, kafkajs tries again. It then leaves out the partitions whose new leader has answered the first
 * attempt already, and reports success: those messages would be lost. They are missing in its answer, and are sent again.
 *
 * @returns the acknowledgement of each partition
 * @throws the client's error, as `producer.send` does
 */
export async function sendAll(
  producer: Pick<Producer, 'send'>,
  { topic, messages, chosen }: { topic: string; messages: readonly Message[]; chosen: Chosen },
): Promise<RecordMetadata[]> {
  const answers: RecordMetadata[] = [];
  let rest = [...messages];
  while (rest.length > 0) {
    const acknowledged = await producer.send({ topic, messages: rest, acks: -1 });
    answers.push(...acknowledged);
    const partitions = new Set(acknowledged.map(({ partition }) => partition));
    const missing = rest.filter((message) => !partitions.has(chosen.get(message) ?? -1));
    if (missing.length === rest.length) throw new Error(`Kafka acknowledged no partition of ${topic}.`);
    rest = missing;
  }
  return answers;
}
