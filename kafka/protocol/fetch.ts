/*
 * Kafka's Fetch request without a session and without decoding: an undecodable batch must not fail other
 * batches and partitions.
 */

import type { BufferPool } from '../../service/buffer-pool.ts';
import { apiVersionsV3, type Connection, type Reader, Writer } from '../library.ts';
import type { AbortedTransaction } from './committed.ts';
import { sendRequest } from './request.ts';

const FETCH = 1;
/** Version 13 (Kafka 3.1) and later name topics by id; version 15 and later omit the replica id. */
const OLDEST_FETCH_VERSION = 13;
const NEWEST_FETCH_VERSION = 17;
const VERSION_WITHOUT_REPLICA_ID = 15;
/** Brokers do not check this epoch. */
const UNKNOWN_EPOCH = -1;
const NO_SESSION = { id: 0, epoch: -1 };

export interface FetchRequest {
  topicId: string;
  /** The offset to read from, by partition. */
  offsets: ReadonlyMap<number, number>;
  /**
   * The epoch of each partition's leader as this process knows it, by partition. A broker with another epoch
   * refuses: otherwise it would answer with old data after its partitions moved to another broker.
   */
  leaderEpochs: readonly number[];
  /** Whether to end at the last stable offset, and to receive the list of aborted transactions. */
  committed: boolean;
  /** The longest time that the broker may delay an empty answer, in milliseconds. */
  maxWaitMs: number;
  maxBytes: number;
  partitionMaxBytes: number;
  /** This process's rack, or empty. The leader may name a replica there instead of answering. */
  rack: string;
}

/** The answer for a partition. */
export interface PartitionAnswer {
  partition: number;
  /** Kafka's error code; 0 for none. */
  errorCode: number;
  highWatermark: number;
  lastStableOffset: number;
  aborted: AbortedTransaction[];
  /** The broker to read this partition from instead; -1 if none. */
  preferredReplica: number;
  /** Record batches, the last of which may be cut off. */
  bytes: Buffer;
  /** Returns the bytes' memory to the pool, if it came from one. */
  release?: () => void;
}

/**
 * Asks a broker for its versions of Fetch. During a cluster's upgrade, brokers have different versions.
 *
 * @returns the newest version that both sides know
 * @throws Error if the broker is too old, and the client's error if the connection fails
 */
export async function requestFetchVersion(connection: Connection): Promise<number> {
  const { apiKeys } = await apiVersionsV3.api.async(connection, 'ballot-endorsements', '1');
  const newest = apiKeys.find(({ apiKey }) => apiKey === FETCH)?.maxVersion ?? 0;
  if (newest < OLDEST_FETCH_VERSION) throw new Error('The broker is older than Kafka 3.1.');
  return Math.min(newest, NEWEST_FETCH_VERSION);
}

/**
 * Fetches from a broker.
 *
 * @param buffers a pool of buffers for copies of each partition's bytes. Without it, the bytes may share
 * memory with the whole answer.
 * @returns an answer for each partition in the broker's reply, and the error code of the whole request; 0 for
 * none
 * @throws the client's error if the connection fails
 */
export function sendFetch(
  connection: Connection,
  version: number,
  request: FetchRequest,
  buffers?: BufferPool,
): Promise<{ errorCode: number; partitions: PartitionAnswer[] }> {
  const write = () => writeRequest(version, request);
  return sendRequest(connection, [FETCH, version], write, (reader) => readAnswer(reader, buffers));
}

function writeRequest(version: number, request: FetchRequest): Writer {
  const writer = Writer.create();
  if (version < VERSION_WITHOUT_REPLICA_ID) writer.appendInt32(-1);
  return writer
    .appendInt32(request.maxWaitMs)
    .appendInt32(1)
    .appendInt32(request.maxBytes)
    .appendInt8(request.committed ? 1 : 0)
    .appendInt32(NO_SESSION.id)
    .appendInt32(NO_SESSION.epoch)
    .appendArray([request], (topics, { topicId, offsets, leaderEpochs, partitionMaxBytes }) => {
      topics.appendUUID(topicId).appendArray(
        [...offsets],
        (partitions, [partition, offset]) => {
          partitions
            .appendInt32(partition)
            .appendInt32(leaderEpochs[partition] ?? UNKNOWN_EPOCH)
            .appendInt64(BigInt(offset))
            .appendInt32(UNKNOWN_EPOCH) // of the last fetched record
            .appendInt64(-1n) // start of the log; only replicas send it
            .appendInt32(partitionMaxBytes)
            .appendTaggedFields();
        },
        true,
        false,
      );
    })
    .appendArray([], () => {})
    .appendString(request.rack)
    .appendTaggedFields();
}

function readAnswer(
  reader: Reader,
  buffers?: BufferPool,
): { errorCode: number; partitions: PartitionAnswer[] } {
  reader.readInt32(); // throttle time
  const errorCode = reader.readInt16();
  reader.readInt32(); // session
  const topics = reader.readArray((topic) => {
    topic.readUUID();
    return topic.readArray((answer) => readPartition(answer, buffers));
  });
  return { errorCode, partitions: topics.flat() };
}

function readPartition(reader: Reader, buffers?: BufferPool): PartitionAnswer {
  const partition = reader.readInt32();
  const errorCode = reader.readInt16();
  const highWatermark = Number(reader.readInt64());
  const lastStableOffset = Number(reader.readInt64());
  reader.readInt64(); // start of the log
  const aborted = reader.readNullableArray((transaction) => ({
    producerId: transaction.readInt64(),
    firstOffset: Number(transaction.readInt64()),
  }));
  const preferredReplica = reader.readInt32();
  // A compact length is one more than the length; 0 stands for null.
  const length = Math.max(0, reader.readUnsignedVarInt() - 1);
  return {
    partition,
    errorCode,
    highWatermark,
    lastStableOffset,
    aborted: aborted ?? [],
    preferredReplica,
    ...readBytes(reader, length, buffers),
  };
}

function readBytes(
  reader: Reader,
  length: number,
  buffers?: BufferPool,
): Pick<PartitionAnswer, 'bytes' | 'release'> {
  const start = reader.position;
  reader.skip(length);
  if (!buffers || length === 0) return { bytes: reader.buffer.slice(start, start + length) };
  const buffer = buffers.take(length);
  const bytes = Buffer.from(buffer, 0, length);
  let end = 0;
  for (const piece of reader.buffer.subarray(start, start + length).buffers) end += piece.copy(bytes, end);
  return { bytes, release: () => buffers.giveBack(buffer) };
}
