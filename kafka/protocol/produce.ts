/*
 * Kafka's requests of an idempotent producer, over a connection of the client's. `write-batch.ts` makes the bytes of
 * the batches.
 */
import { type Connection, initProducerIdV4, type Reader, Writer } from '../library.ts';
import { sendRequest } from './request.ts';

const PRODUCE = 0;
/** Every broker with the required version of Fetch has it. Later versions add nothing useful here. */
const VERSION = 9;
const ALL_IN_SYNC_REPLICAS = -1;
/** The limit of transactions, which this producer does not use, in milliseconds. */
const TRANSACTION_TIMEOUT_MS = 60_000;

export interface ProduceRequest {
  topic: string;
  /** By partition: a record batch. */
  batches: ReadonlyMap<number, Buffer>;
  /** The leader's time limit for the other in-sync replicas, in milliseconds. */
  timeoutMs: number;
}

/** The answer for a partition. */
export interface ProduceAnswer {
  partition: number;
  /** Kafka's error code; 0 for none. */
  errorCode: number;
  /** The offset of the batch's first record. */
  baseOffset: number;
}

/**
 * Sends batches to the leader of their partitions. It answers when all in-sync replicas have them.
 *
 * @throws the client's error if the connection fails
 */
export function sendProduce(connection: Connection, request: ProduceRequest): Promise<ProduceAnswer[]> {
  return sendRequest(connection, [PRODUCE, VERSION], () => writeRequest(request), readAnswers);
}

function writeRequest({ topic, batches, timeoutMs }: ProduceRequest): Writer {
  return Writer.create()
    .appendString(null)
    .appendInt16(ALL_IN_SYNC_REPLICAS)
    .appendInt32(timeoutMs)
    .appendArray([topic], (topics, name) => {
      topics.appendString(name).appendArray([...batches], (partitions, [partition, bytes]) => {
        partitions.appendInt32(partition).appendBytes(bytes);
      });
    })
    .appendTaggedFields();
}

function readAnswers(reader: Reader): ProduceAnswer[] {
  const topics = reader.readArray((topic) => {
    topic.readString();
    return topic.readArray((answer) => {
      const partition = answer.readInt32();
      const errorCode = answer.readInt16();
      const baseOffset = Number(answer.readInt64());
      answer.readInt64(); // append time
      answer.readInt64(); // start of the log
      answer.readArray((error) => {
        error.readInt32();
        error.readNullableString();
      });
      answer.readNullableString(); // message
      return { partition, errorCode, baseOffset };
    });
  });
  return topics.flat();
}

/** A producer's id, under which it numbers its records. */
export interface ProducerIdentity {
  producerId: bigint;
  producerEpoch: number;
}

/** Asks any broker for an id. @throws the client's error if the request fails */
export async function requestProducerId(connection: Connection): Promise<ProducerIdentity> {
  const { api } = initProducerIdV4;
  const { producerId, producerEpoch } = await api.async(connection, null, TRANSACTION_TIMEOUT_MS, -1n, -1);
  return { producerId, producerEpoch };
}
