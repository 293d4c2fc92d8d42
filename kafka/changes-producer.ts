import { setTimeout as sleep } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import type { Brokers } from '../service/brokers.ts';
import { explainingRefusals } from './refusal.ts';
import { type Right, withRight } from './rights.ts';
import { rememberPartitions, sendAll } from './send-all.ts';
import { splitIntoRequests } from './split-requests.ts';

/** A record of the changes topic. */
export interface ChangeRecord {
  /** The endorser's slug. */
  key: string;
  value: Buffer;
  headers?: Record<string, string>;
}

/**
 * Bounds what a request holds for one partition, which becomes one batch. Small batches suit readers: a fetch returns a
 * bounded number of bytes of each partition, of which only whole batches are useful.
 */
const MAX_BATCH_BYTES = 100_000;
const MAX_ATTEMPTS = 6;
/** How long to wait before the second attempt, in milliseconds; longer before each later one. */
const RETRY_MS = 100;

/** Retries a request that kafkajs does not retry itself while a partition's leader moves. */
async function withRetries<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      const retriable = error instanceof Error && 'retriable' in error && error.retriable === true;
      if (!retriable || attempt === MAX_ATTEMPTS) throw error;
      await sleep(RETRY_MS * attempt);
    }
  }
}

/**
 * Sends changes in order, each request after all in-sync replicas acknowledged the one before. Everything fails with a
 * KafkaRefusal if Kafka refuses this process, and with the client's error otherwise.
 *
 * @param kafka a client of these brokers
 */
export function createChangesProducer(kafka: Kafka, { brokers, topic }: { brokers: Brokers; topic: string }) {
  const right: Right = { operation: 'Write', resource: 'topic', name: topic };
  const write = <T>(action: () => Promise<T>) => explainingRefusals(brokers, () => withRight(right, action));
  const { chosen, createPartitioner } = rememberPartitions();
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    metadataMaxAge: 30_000,
    createPartitioner,
  });
  const admin = kafka.admin();
  let partitions = 1;
  return {
    topic,

    async connect(): Promise<void> {
      await write(() => Promise.all([producer.connect(), admin.connect()]));
    },

    async disconnect(): Promise<void> {
      await Promise.all([producer.disconnect(), admin.disconnect()]);
    },

    /** The end offset of each partition, by partition. */
    async fetchEndOffsets(): Promise<number[]> {
      const ends: number[] = [];
      const offsets = await write(() => withRetries(() => admin.fetchTopicOffsets(topic)));
      for (const { partition, high } of offsets) ends[partition] = Number(high);
      partitions = ends.length;
      return Array.from(ends, (end) => end ?? 0);
    },

    /** Resolves when all in-sync replicas have the records. */
    async send(records: ChangeRecord[]): Promise<void> {
      for (const messages of splitIntoRequests(records, partitions, MAX_BATCH_BYTES)) {
        await write(() => sendAll(producer, { topic, messages, chosen }));
      }
    },
  };
}

export type ChangesProducer = ReturnType<typeof createChangesProducer>;
