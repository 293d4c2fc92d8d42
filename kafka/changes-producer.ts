import { setTimeout as sleep } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';

/** A record of the changes topic. */
export interface ChangeRecord {
  /** The endorser's slug. */
  key: string;
  value: Buffer;
}

/**
 * The records of a request that go to one partition are one batch there. Small ones are good for who reads: a broker
 * gives as much of each partition as was asked for, but only whole batches of it are of use.
 */
const MAX_REQUEST_BYTES = 100_000;
const MAX_ATTEMPTS = 6;
/** How long to wait before the second attempt, in milliseconds; longer before each later one. */
const RETRY_MS = 100;

/** Records in runs that fit into a request each. */
export function* splitIntoRequests(records: ChangeRecord[]): Generator<ChangeRecord[]> {
  let request: ChangeRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    if (request.length > 0 && bytes + record.value.length > MAX_REQUEST_BYTES) {
      yield request;
      request = [];
      bytes = 0;
    }
    request.push(record);
    bytes += record.value.length;
  }
  if (request.length > 0) yield request;
}

/** A leader that moves is found again within moments, but this is the one request that kafkajs does not repeat. */
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

/** Sends changes in order, each request only after the one before is acknowledged by all who must have it. */
export function createChangesProducer(kafka: Kafka, topic: string) {
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1, metadataMaxAge: 30_000 });
  const admin = kafka.admin();
  return {
    connect: () => Promise.all([producer.connect(), admin.connect()]),
    disconnect: () => Promise.all([producer.disconnect(), admin.disconnect()]),

    /** Where each partition ends now, by partition. */
    async fetchEndOffsets(): Promise<number[]> {
      const ends: number[] = [];
      const offsets = await withRetries(() => admin.fetchTopicOffsets(topic));
      for (const { partition, high } of offsets) ends[partition] = Number(high);
      return Array.from(ends, (end) => end ?? 0);
    },

    /** Resolves when everyone who must have the records does. */
    async send(records: ChangeRecord[]): Promise<void> {
      for (const messages of splitIntoRequests(records)) await producer.send({ topic, acks: -1, messages });
    },
  };
}

export type ChangesProducer = ReturnType<typeof createChangesProducer>;
