import type { Brokers } from '../../service/brokers.ts';
import { platformaticConnection } from '../connection/connections.ts';
import { correctRequests } from '../connection/corrected-requests.ts';
import { Consumer, ListOffsetTimestamps } from '../library.ts';
import { readTopic } from './read-topic.ts';

/** The newest record of a partition. */
export interface NewestRecord {
  partition: number;
  value: Buffer | null;
  /** The broker's append time if the topic has LogAppendTime, in milliseconds since 1970. */
  appendedAt: number;
}

/**
 * Reads the newest record of each non-empty partition.
 *
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function readNewestRecords(options: {
  brokers: Brokers;
  topic: string;
}): Promise<NewestRecord[]> {
  const clientId = 'ballot-endorsements-admin';
  const times = await readNewestTimes(options, clientId);
  const found = new Map<number, NewestRecord>();
  const chooseStart = (partition: number, { end }: { end: number }) => times.get(partition)?.offset ?? end;
  for await (const { partition, records } of readTopic({ ...options, clientId }, chooseStart)) {
    const newest = times.get(partition);
    const record = records.find(({ offset }) => offset === newest?.offset);
    if (newest && record) {
      found.set(partition, { partition, value: record.value, appendedAt: newest.appendedAt });
    }
  }
  return [...found.values()];
}

/** The offset and time of the record with the latest time, by partition. */
async function readNewestTimes(
  { brokers, topic }: { brokers: Brokers; topic: string },
  clientId: string,
): Promise<Map<number, { offset: number; appendedAt: number }>> {
  const consumer = new Consumer({
    clientId,
    // The client requires a group, but never joins it.
    groupId: clientId,
    ...platformaticConnection(brokers),
    retries: 0,
    timeout: 5000,
    connectTimeout: 3000,
  });
  correctRequests(consumer);
  try {
    const timestamp = ListOffsetTimestamps.MAX;
    const listed = await consumer.listOffsetsWithTimestamps({ topics: [topic], timestamp });
    return new Map(
      [...(listed.get(topic) ?? [])]
        .filter(([, { offset }]) => offset >= 0n)
        .map(([partition, { offset, timestamp: time }]) => [
          partition,
          { offset: Number(offset), appendedAt: Number(time) },
        ]),
    );
  } finally {
    await consumer.close(true);
  }
}
