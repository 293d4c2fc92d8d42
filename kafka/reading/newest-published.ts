import { type Change, findChange } from '../../schemas/change.ts';
import { type ReadTopic, readTopic } from './read-topic.ts';
import type { PartitionBounds } from './topic-lookup.ts';

/** The number of offsets to read before the end of a partition. */
const TAIL_OFFSETS = 300;

/** A change that Kafka has published. */
export type PublishedChange = Pick<Change, 'epoch' | 'sequence' | 'id'>;

/**
 * The newest change in the changes topic: the highest sequence of the highest epoch. Null if the ends of the
 * partitions hold no change. Ignores other records; gateways report them.
 *
 * @throws the Kafka client's error if the brokers do not answer, the topic does not exist, or the signal aborts
 */
export async function readNewestPublished(
  options: Pick<ReadTopic, 'brokers' | 'topic' | 'signal'>,
): Promise<PublishedChange | null> {
  let newest: PublishedChange | null = null;
  const fromTail = (_: number, { start, end }: PartitionBounds) => Math.max(start, end - TAIL_OFFSETS);
  const topic = { ...options, clientId: 'ballot-endorsements-history' };
  for await (const { records } of readTopic(topic, fromTail)) {
    for (const { value } of records) newest = newer(newest, findChange(value));
  }
  return newest;
}

function newer(a: PublishedChange | null, b: PublishedChange | null): PublishedChange | null {
  if (!a || !b) return a ?? b;
  if (a.epoch !== b.epoch) return a.epoch > b.epoch ? a : b;
  return a.sequence >= b.sequence ? a : b;
}
