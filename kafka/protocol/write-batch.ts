/*
 * Writes Kafka's record batches, uncompressed, as `record-batches.ts` reads them. A batch is one buffer of a
 * known size. The clients make one for each record and header, which was half of the relay's work.
 */
import { crc32c } from '../library.ts';
import {
  ATTRIBUTES_AT,
  CRC_AT,
  CURRENT_MAGIC,
  FIRST_TIMESTAMP_AT,
  LAST_OFFSET_DELTA_AT,
  LENGTH_AT,
  MAGIC_AT,
  MAX_TIMESTAMP_AT,
  PREFIX_BYTES,
  PRODUCER_ID_AT,
  RECORD_COUNT_AT,
  RECORDS_AT,
} from './batch-layout.ts';

/** A record to write. */
export interface OutgoingRecord {
  key: string;
  value: Buffer;
  headers?: Readonly<Record<string, string>>;
}

/** Lets brokers detect duplicates and gaps. */
export interface ProducerState {
  producerId: bigint;
  producerEpoch: number;
  /** The number of records that the producer has sent to this partition before. */
  firstSequence: number;
}

const LEADER_EPOCH_AT = 12;
const PRODUCER_EPOCH_AT = PRODUCER_ID_AT + 8;
const FIRST_SEQUENCE_AT = PRODUCER_EPOCH_AT + 2;
const UNKNOWN_EPOCH = -1;

/** @param timestamp of all records, in milliseconds since 1970 */
export function writeBatch(
  records: readonly OutgoingRecord[],
  { producerId, producerEpoch, firstSequence }: ProducerState,
  timestamp: number,
): Buffer {
  const lengths = records.map(lengthOfRecord);
  const size = lengths.reduce((sum, length) => sum + sizeOfVarint(length) + length, RECORDS_AT);
  const bytes = Buffer.allocUnsafe(size);
  bytes.fill(0, 0, LENGTH_AT);
  bytes.writeInt32BE(size - PREFIX_BYTES, LENGTH_AT);
  bytes.writeInt32BE(UNKNOWN_EPOCH, LEADER_EPOCH_AT);
  bytes[MAGIC_AT] = CURRENT_MAGIC;
  bytes.writeInt16BE(0, ATTRIBUTES_AT);
  bytes.writeInt32BE(records.length - 1, LAST_OFFSET_DELTA_AT);
  bytes.writeBigInt64BE(BigInt(timestamp), FIRST_TIMESTAMP_AT);
  bytes.writeBigInt64BE(BigInt(timestamp), MAX_TIMESTAMP_AT);
  bytes.writeBigInt64BE(producerId, PRODUCER_ID_AT);
  bytes.writeInt16BE(producerEpoch, PRODUCER_EPOCH_AT);
  bytes.writeInt32BE(firstSequence, FIRST_SEQUENCE_AT);
  bytes.writeInt32BE(records.length, RECORD_COUNT_AT);
  let at = RECORDS_AT;
  records.forEach((record, index) => {
    at = writeVarint(bytes, lengths[index] ?? 0, at);
    at = writeRecord(bytes, record, index, at);
  });
  bytes.writeUInt32BE(crc32c(bytes.subarray(ATTRIBUTES_AT)), CRC_AT);
  return bytes;
}

/** Zigzag, like all integers of records: non-negative ones are doubled. */
function sizeOfVarint(value: number): number {
  if (value < 1 << 6) return 1;
  if (value < 1 << 13) return 2;
  if (value < 1 << 20) return 3;
  return value < 1 << 27 ? 4 : 5;
}

function writeVarint(bytes: Buffer, value: number, at: number): number {
  let rest = value * 2;
  let end = at;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) {
    bytes[end] = (rest % 128) + 128;
    end += 1;
  }
  bytes[end] = rest;
  return end + 1;
}

function lengthOfText(text: string): number {
  const length = Buffer.byteLength(text);
  return sizeOfVarint(length) + length;
}

function writeText(bytes: Buffer, text: string, at: number): number {
  const start = writeVarint(bytes, Buffer.byteLength(text), at);
  return start + bytes.write(text, start);
}

/** The attributes and the time difference: one zero byte each. */
const FIXED_BYTES = 2;

/** The length of a record, without the length field. */
function lengthOfRecord({ key, value, headers }: OutgoingRecord, index: number): number {
  let length =
    FIXED_BYTES + sizeOfVarint(index) + lengthOfText(key) + sizeOfVarint(value.length) + value.length;
  let count = 0;
  for (const name in headers) {
    count += 1;
    length += lengthOfText(name) + lengthOfText(headers[name] ?? '');
  }
  return length + sizeOfVarint(count);
}

function writeRecord(
  bytes: Buffer,
  { key, value, headers = {} }: OutgoingRecord,
  index: number,
  start: number,
): number {
  bytes[start] = 0;
  bytes[start + 1] = 0;
  let at = writeVarint(bytes, index, start + FIXED_BYTES);
  at = writeText(bytes, key, at);
  at = writeVarint(bytes, value.length, at);
  at += value.copy(bytes, at);
  const entries = Object.entries(headers);
  at = writeVarint(bytes, entries.length, at);
  for (const [name, text] of entries) at = writeText(bytes, text, writeText(bytes, name, at));
  return at;
}
