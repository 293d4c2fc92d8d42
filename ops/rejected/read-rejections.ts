import { readTopic } from '../../kafka/read-topic.ts';
import { type Rejection, rejectionCodec } from '../../schemas/submission.ts';

export interface ReadRejections {
  /** By time; a rejection that a crash recorded twice is there once. */
  rejections: Rejection[];
  /** The end of the topic, by partition. */
  ends: Map<number, number>;
}

/**
 * Reads the rejected topic to its end.
 *
 * @param from the offset to begin at, by partition; a partition without one is read from its beginning
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function readRejections(
  { brokers, topic }: { brokers: string[]; topic: string },
  from: ReadonlyMap<number, number> = new Map(),
): Promise<ReadRejections> {
  const byOrigin = new Map<string, Rejection>();
  const ends = new Map<number, number>();
  for await (const { partition, records, nextOffset } of readTopic({ brokers, topic }, from)) {
    for (const { value } of records) {
      const rejection = rejectionCodec.decode(value);
      byOrigin.set(`${rejection.topic} ${rejection.partition} ${rejection.offset}`, rejection);
    }
    ends.set(partition, nextOffset);
  }
  const rejections = [...byOrigin.values()].sort((a, b) => a.rejected_at - b.rejected_at);
  return { rejections, ends };
}
