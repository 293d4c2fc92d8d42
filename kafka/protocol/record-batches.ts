/*
 * Kafka's record batches, as stored in the log: a header of 61 bytes, then the records, compressed together
 * or not. The broker assigns the first offset and the length; a checksum covers everything from the
 * attributes on.
 *
 * An unreadable batch is reported with its offsets, so that a reader can pass it (INV-14).
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
import { decompress } from './codecs.ts';

/** The most records of a batch. Tiny records compress so well that a batch could hold millions. */
export const MAX_RECORDS = 200_000;

const CODEC_MASK = 0b111;
const HAS_APPEND_TIME = 1 << 3;
const IS_TRANSACTIONAL = 1 << 4;
const IS_CONTROL = 1 << 5;

/** A record as fetched. */
export interface FetchedRecord {
  offset: number;
  /**
   * Milliseconds since 1970: the broker's append time if the topic has LogAppendTime, otherwise the
   * producer's time, which can be anything.
   */
  timestamp: number;
  key: Buffer | null;
  value: Buffer | null;
  /** Its raw headers, for `readHeaders`; null without headers. */
  headers: Buffer | null;
}

/** A batch of a partition. Offsets are inclusive. */
export interface RecordBatch {
  firstOffset: number;
  lastOffset: number;
  /** Milliseconds since 1970: the time of its newest record, or marker; 0 if its header cannot be read. */
  newestAt: number;
  producerId: bigint;
  isTransactional: boolean;
  /** Whether it holds a transaction's marker instead of records. */
  isControl: boolean;
  /** The whole batch, header included. */
  bytes: Buffer;
}

/** A batch whose contents do not match its header. The message is the reason. */
export class UnreadableBatchError extends Error {
  override name = 'UnreadableBatchError';
}

/** Splits the bytes of a fetch into batches, without a cut-off last one: the next fetch has it whole. */
export function* splitBatches(bytes: Buffer): Generator<RecordBatch> {
  let start = 0;
  while (bytes.length - start >= PREFIX_BYTES) {
    const end = start + PREFIX_BYTES + bytes.readInt32BE(start + LENGTH_AT);
    if (end > bytes.length || end <= start + MAGIC_AT) return;
    yield readHeader(bytes.subarray(start, end));
    start = end;
  }
}

function readHeader(bytes: Buffer): RecordBatch {
  const firstOffset = Number(bytes.readBigInt64BE(0));
  const isWhole = bytes.length >= RECORDS_AT && bytes[MAGIC_AT] === CURRENT_MAGIC;
  const attributes = isWhole ? bytes.readInt16BE(ATTRIBUTES_AT) : 0;
  const lastDelta = isWhole ? bytes.readInt32BE(LAST_OFFSET_DELTA_AT) : 0;
  return {
    firstOffset,
    lastOffset: firstOffset + Math.max(0, lastDelta),
    newestAt: isWhole ? Math.max(0, Number(bytes.readBigInt64BE(MAX_TIMESTAMP_AT))) : 0,
    producerId: isWhole ? bytes.readBigInt64BE(PRODUCER_ID_AT) : -1n,
    isTransactional: (attributes & IS_TRANSACTIONAL) !== 0,
    isControl: (attributes & IS_CONTROL) !== 0,
    bytes,
  };
}

/**
 * The records of a batch, in order.
 *
 * @throws UnreadableBatchError if the format is unknown, the checksum is wrong, the records cannot be
 * decompressed, or the bytes do not have the published structure of records
 */
export function readRecords(batch: RecordBatch): FetchedRecord[] {
  const { bytes, firstOffset, lastOffset } = batch;
  const magic = bytes[MAGIC_AT];
  if (magic !== CURRENT_MAGIC)
    throw new UnreadableBatchError(`its message format is version ${magic}, not 2`);
  if (bytes.length < RECORDS_AT) throw new UnreadableBatchError('its header is cut off');
  if (crc32c(bytes.subarray(ATTRIBUTES_AT)) !== bytes.readUInt32BE(CRC_AT)) {
    throw new UnreadableBatchError('its checksum is wrong');
  }
  const count = bytes.readInt32BE(RECORD_COUNT_AT);
  if (count > MAX_RECORDS) throw new UnreadableBatchError(`it holds more than ${MAX_RECORDS} records`);
  const payload = decompressRecords(bytes);
  const records: FetchedRecord[] = [];
  const cursor = new VarintCursor(payload);
  const times = readTimes(bytes);
  for (let index = 0; index < count; index += 1) {
    const record = cursor.readRecord(firstOffset, times);
    if (record.offset < firstOffset || record.offset > lastOffset) {
      throw new UnreadableBatchError(`record ${index} lies outside of the batch`);
    }
    records.push(record);
  }
  if (!cursor.isAtEnd) throw new UnreadableBatchError(`more bytes follow its ${count} records`);
  return records;
}

/** The times of a batch's records: one for all, or a base for the difference in each record. */
interface BatchTimes {
  base: number;
  isShared: boolean;
}

function readTimes(bytes: Buffer): BatchTimes {
  const isShared = (bytes.readInt16BE(ATTRIBUTES_AT) & HAS_APPEND_TIME) !== 0;
  return { base: Number(bytes.readBigInt64BE(isShared ? MAX_TIMESTAMP_AT : FIRST_TIMESTAMP_AT)), isShared };
}

/**
 * The headers of a record by name, as text. If a name repeats, the last header counts.
 *
 * @throws UnreadableBatchError if the bytes do not have the published structure of headers
 */
export function readHeaders(bytes: Buffer): Map<string, string> {
  return new VarintCursor(bytes).readHeaders();
}

function decompressRecords(bytes: Buffer): Buffer {
  const codec = bytes.readInt16BE(ATTRIBUTES_AT) & CODEC_MASK;
  const payload = bytes.subarray(RECORDS_AT);
  if (codec === 0) return payload;
  try {
    return decompress(codec, payload);
  } catch (error) {
    throw new UnreadableBatchError(`its records cannot be decompressed: ${(error as Error).message}`);
  }
}

/** Reads records. Their integers are zigzag varints; every length is checked against the available bytes. */
class VarintCursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  readRecord(firstOffset: number, { base, isShared }: BatchTimes): FetchedRecord {
    const length = this.#readVarint();
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new UnreadableBatchError('a record is cut off');
    this.#at += 1; // attributes, which are unused
    const delta = this.#readVarlong();
    const timestamp = isShared ? base : base + delta;
    const offset = firstOffset + this.#readVarint();
    const key = this.#readBytes(end);
    const value = this.#readBytes(end);
    if (this.#at > end) throw new UnreadableBatchError('a record is longer than it says');
    const hasHeaders = this.#at < end && this.#bytes[this.#at] !== 0;
    const headers = hasHeaders ? this.#bytes.subarray(this.#at, end) : null;
    this.#at = end;
    return { offset, timestamp, key, value, headers };
  }

  readHeaders(): Map<string, string> {
    const headers = new Map<string, string>();
    const end = this.#bytes.length;
    for (let left = this.#readVarint(); left > 0; left -= 1) {
      const name = this.#readBytes(end);
      const value = this.#readBytes(end);
      headers.set(String(name ?? ''), String(value ?? ''));
    }
    return headers;
  }

  #readBytes(end: number): Buffer | null {
    const length = this.#readVarint();
    if (length < 0) return null;
    const start = this.#at;
    this.#at += length;
    if (this.#at > end) throw new UnreadableBatchError('a record is longer than it says');
    return this.#bytes.subarray(start, this.#at);
  }

  #readVarint(): number {
    let result = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new UnreadableBatchError('a record is cut off');
      this.#at += 1;
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (result >>> 1) ^ -(result & 1);
    }
    throw new UnreadableBatchError('a record has an integer of more than 32 bits');
  }

  /** Exact up to 53 bits, which times do not exceed. */
  #readVarlong(): number {
    let result = 0;
    for (let factor = 1, count = 0; count < 10; factor *= 128, count += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new UnreadableBatchError('a record is cut off');
      this.#at += 1;
      result += (byte & 0x7f) * factor;
      if (byte < 0x80) return result % 2 === 0 ? result / 2 : -(result + 1) / 2;
    }
    throw new UnreadableBatchError('a record has an integer of more than 64 bits');
  }
}
