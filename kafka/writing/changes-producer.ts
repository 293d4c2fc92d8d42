import type { Brokers } from '../../service/brokers.ts';
import type { OutgoingRecord } from '../protocol/write-batch.ts';
import { TopicLookup } from '../reading/topic-lookup.ts';
import { splitIntoRequests } from './split-requests.ts';
import { TopicWriter } from './topic-writer.ts';

/**
 * The most bytes of a request for one partition, which become one batch. Small batches suit readers: a fetch
 * returns a bounded number of bytes of each partition, and only its whole batches are useful.
 */
const MAX_BATCH_BYTES = 100_000;
const CLIENT_ID = 'ballot-endorsements-relay';

/**
 * Sends changes in order, each request after all in-sync replicas acknowledged the one before. Every method
 * throws a KafkaRefusal if Kafka refuses this process, and the client's error otherwise.
 */
export function createChangesProducer({ brokers, topic }: { brokers: Brokers; topic: string }) {
  const writer = new TopicWriter({ brokers, topic, clientId: CLIENT_ID });
  const lookup = new TopicLookup({ brokers, topic, clientId: CLIENT_ID });
  return {
    topic,

    connect(): Promise<void> {
      return writer.connect();
    },

    async disconnect(): Promise<void> {
      await Promise.all([writer.close(), lookup.close()]);
    },

    /** The end offset of each partition, by partition. */
    fetchEndOffsets(): Promise<number[]> {
      return lookup.ends();
    },

    /** Resolves when all in-sync replicas have the records, whose keys are the endorsers' slugs. */
    async send(records: OutgoingRecord[]): Promise<void> {
      const partitions = await writer.countPartitions();
      for (const request of splitIntoRequests(records, partitions, MAX_BATCH_BYTES)) {
        await writer.send(request);
      }
    },
  };
}

export type ChangesProducer = ReturnType<typeof createChangesProducer>;
