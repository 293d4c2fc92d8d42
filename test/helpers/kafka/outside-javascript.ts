/** The two JavaScript clients of Kafka as producers of other systems would use them. */

import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compressionsAlgorithms, Producer } from '@platformatic/kafka';
import kafkajs, { type Kafka } from 'kafkajs';
import { createKafkaClient } from '../../../kafka/connection/client.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { CODECS, type Codec, type OutsideClient, type OutsideRecord, type Place } from './outside-client.ts';

const compressors: Record<Exclude<Codec, 'none'>, (bytes: Buffer) => Uint8Array> = {
  gzip: gzipSync,
  snappy: (bytes) => compressionsAlgorithms.snappy.compressSync(bytes),
  lz4: (bytes) => compressionsAlgorithms.lz4.compressSync(bytes),
  zstd: zstdCompressSync,
};

/** kafkajs includes only gzip; its users register the others. */
function registerCodecs(): void {
  for (const [name, compress] of Object.entries(compressors)) {
    const type = CODECS.indexOf(name as Codec) as kafkajs.CompressionTypes.GZIP;
    kafkajs.CompressionCodecs[type] = () => ({
      compress: async ({ buffer }: { buffer: Buffer }) => Buffer.from(compress(buffer)),
    });
  }
}

/** The places of records that were appended in order from the given offset of each partition. */
function countFrom(
  firsts: Iterable<{ partition: number; first: number }>,
  records: readonly OutsideRecord[],
): Place[] {
  const next = new Map<number, number>();
  for (const { partition, first } of firsts) next.set(partition, first);
  return records.map(({ partition }) => {
    const offset = next.get(partition) ?? Number.NaN;
    next.set(partition, offset + 1);
    return { partition, offset };
  });
}

interface OpenTransaction {
  commit(): Promise<unknown>;
  abort(): Promise<unknown>;
}

/** A producer's current transaction, if there is one. */
class Transactions<T extends OpenTransaction> {
  readonly #open: () => Promise<T>;
  current: T | undefined;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  begin = async (): Promise<void> => {
    this.current = await this.#open();
  };

  commit = async (): Promise<void> => {
    await this.current?.commit();
    this.current = undefined;
  };

  abort = async (): Promise<void> => {
    await this.current?.abort();
    this.current = undefined;
  };
}

/** kafkajs: the records of a call become one batch for each partition. */
export function startKafkajsClient(brokers: Brokers, topic: string): OutsideClient {
  registerCodecs();
  const kafka: Kafka = createKafkaClient({ brokers, clientId: 'outside' });
  return {
    async open({ codec = 'none', idempotent = false, transactionalId } = {}) {
      const producer = kafka.producer({
        idempotent: idempotent || transactionalId !== undefined,
        ...(transactionalId === undefined ? {} : { transactionalId, maxInFlightRequests: 1 }),
      });
      await producer.connect();
      const transactions = new Transactions(() => producer.transaction());
      return {
        async send(records) {
          const sent = await (transactions.current ?? producer).send({
            topic,
            acks: -1,
            compression: CODECS.indexOf(codec),
            messages: records.map(({ timestamp, ...record }) => ({
              ...record,
              ...(timestamp === undefined ? {} : { timestamp: String(timestamp) }),
            })),
          });
          const firsts = sent.map(({ partition, baseOffset }) => ({ partition, first: Number(baseOffset) }));
          return countFrom(firsts, records);
        },
        begin: transactions.begin,
        commit: transactions.commit,
        abort: transactions.abort,
        close: () => producer.disconnect(),
      };
    },
    stop: async () => {},
  };
}

/** @platformatic/kafka, in the same way. */
export function startPlatformaticClient(brokers: Brokers, topic: string): OutsideClient {
  return {
    async open({ codec = 'none', idempotent = false, transactionalId } = {}) {
      const producer = new Producer({
        clientId: 'outside',
        bootstrapBrokers: brokers.addresses,
        idempotent: idempotent || transactionalId !== undefined,
        ...(transactionalId === undefined ? {} : { transactionalId }),
      });
      const transactions = new Transactions(() => producer.beginTransaction());
      return {
        async send(records) {
          const { offsets = [] } = await (transactions.current ?? producer).send({
            acks: -1,
            compression: codec,
            messages: records.map(({ partition, key, value, headers = {}, timestamp }) => ({
              topic,
              partition,
              ...(key === null ? {} : { key }),
              ...(value === null ? {} : { value }),
              ...(timestamp === undefined ? {} : { timestamp: BigInt(timestamp) }),
              headers: new Map(
                Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)]),
              ),
            })),
          });
          const firsts = offsets.map(({ partition, offset }) => ({ partition, first: Number(offset) }));
          return countFrom(firsts, records);
        },
        begin: transactions.begin,
        commit: transactions.commit,
        abort: transactions.abort,
        close: () => producer.close(),
      };
    },
    stop: async () => {},
  };
}
