import { AvroDecodeError } from '../../schemas/avro-codec.ts';
import { type Change, changeCodec } from '../../schemas/change.ts';
import type { Brokers } from '../../service/brokers.ts';
import { readTopic } from './read-topic.ts';
import type { PartitionBounds } from './topic-lookup.ts';

/** How many offsets before the end of a partition are read. */
const TAIL_OFFSETS = 300;

/** A change that Kafka has published. */
export type PublishedChange = Pick<Change, 'epoch' | 'sequence' | 'id'>;

/**
 * The newest change that the changes topic has published: of the highest epoch, and of that the highest sequence. Null if
 * the ends of its partitions hold none. Records that are no changes are passed over.
 *
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function readNewestPublished(options: {
  brokers: Brokers;
  topic: string;
}): Promise<PublishedChange | null> {
  let newest: PublishedChange | null = null;
  const fromTail = (_: number, { start, end }: PartitionBounds) => Math.max(start, end - TAIL_OFFSETS);
  const topic = { ...options, clientId: 'ballot-endorsements-history' };
  for await (const { records } of readTopic(topic, fromTail)) {
    for (const { value } of records) newest = newer(newest, decode(value));
  }
  return newest;
}

/** Null for a record that is no change. Whether records can be decoded is for gateways to report. */
function decode(value: Buffer | null): PublishedChange | null {
  try {
    return changeCodec.decode(value);
  } catch (error) {
    if (!(error instanceof AvroDecodeError)) throw error;
    return null;
  }
}

function newer(a: PublishedChange | null, b: PublishedChange | null): PublishedChange | null {
  if (!a || !b) return a ?? b;
  if (a.epoch !== b.epoch) return a.epoch > b.epoch ? a : b;
  return a.sequence >= b.sequence ? a : b;
}
