import type { Brokers } from '../../service/brokers.ts';
import { loadNewestTimes, readTopic } from './read-topic.ts';

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
export async function readNewestRecords(named: { brokers: Brokers; topic: string }): Promise<NewestRecord[]> {
  const options = { ...named, clientId: 'ballot-endorsements-admin' };
  const times = await loadNewestTimes(options);
  const found = new Map<number, NewestRecord>();
  const chooseStart = (partition: number, { end }: { end: number }) => times.get(partition)?.offset ?? end;
  for await (const { partition, records } of readTopic(options, chooseStart)) {
    const newest = times.get(partition);
    const record = records.find(({ offset }) => offset === newest?.offset);
    if (newest && record) {
      found.set(partition, { partition, value: record.value, appendedAt: newest.appendedAt });
    }
  }
  return [...found.values()];
}
