import {
  type ICustomPartitioner,
  type Message,
  Partitioners,
  type Producer,
  type RecordMetadata,
} from 'kafkajs';

import { partitionOfKey } from './key-partition.ts';

/** The partition of each message in use: several sends may run at once. */
type Chosen = WeakMap<Message, number>;

/**
 * Creates the state that a producer and `sendAll` share. Chooses partitions by key as Java's clients do, so
 * that every writer puts one endorser in one partition.
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
 * When a leader moves, kafkajs retries, but skips partitions if their new leader has already answered the
 * first attempt, and reports success. Those messages would be lost. Its answer lacks their partitions, so
 * this function sends them again.
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
