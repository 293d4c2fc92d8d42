import { hash } from 'node:crypto';
import { type ReadTopic, readTopic } from '../../kafka/reading/read-topic.ts';
import { type Rejection, rejectionCodec } from '../../schemas/submission.ts';

export interface ReadRejections {
  /** By time, without duplicates from a crash. */
  rejections: Rejection[];
  /** Other records and unreadable batches: any program can write to the topic. */
  strangers: number;
  /** The end of the topic, by partition. */
  ends: Map<number, number>;
}

/**
 * Reads the rejected topic to its end.
 *
 * @param from the offset to begin at, by partition; other partitions are read from their beginning
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function readRejections(
  { brokers, topic, onProgress }: Pick<ReadTopic, 'brokers' | 'topic' | 'onProgress'>,
  from: ReadonlyMap<number, number> = new Map(),
): Promise<ReadRejections> {
  const byIdentity = new Map<string, Rejection>();
  const ends = new Map<number, number>();
  let strangers = 0;
  const clientId = 'ballot-endorsements-administration';
  const reading = { brokers, topic, clientId, ...(onProgress && { onProgress }) };
  const chooseStart = (partition: number) => from.get(partition) ?? 0;
  for await (const { partition, records, unreadable, nextOffset } of readTopic(reading, chooseStart)) {
    strangers += unreadable.length;
    for (const { value } of records) {
      const rejection = decode(value);
      if (rejection === null) strangers += 1;
      else byIdentity.set(identify(rejection), rejection);
    }
    ends.set(partition, nextOffset);
  }
  const rejections = [...byIdentity.values()].sort((a, b) => a.rejected_at - b.rejected_at);
  return { rejections, strangers, ends };
}

/**
 * Equal for two rejections of the same submission. The origin alone is not enough, because offsets restart at
 * 0 if the topic of submissions is made anew.
 */
function identify({ topic, partition, offset, value, truncated }: Rejection): string {
  const digest = truncated ? truncated.sha256.toString('hex') : value && hash('sha256', value);
  return `${topic} ${partition} ${offset} ${digest}`;
}

/** Null for another program's record, also if its time is invalid. */
function decode(value: Buffer | null): Rejection | null {
  try {
    const rejection = rejectionCodec.decode(value);
    return Number.isNaN(new Date(rejection.rejected_at).getTime()) ? null : rejection;
  } catch {
    return null;
  }
}
