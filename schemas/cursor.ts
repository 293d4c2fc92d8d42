import { crc32 } from 'node:zlib';

/*
 * A cursor is a client's position in the change stream (INV-4). The id of an event is the cursor right after it, and
 * never changes (INV-3). Every other cursor also has a time up to which nothing followed. So there are two forms:
 *
 *   the id of an event   <sequence> "." <payload>
 *   any other cursor     <sequence> "_" <time> "." <payload>
 *
 * Sequence and time are 11 digits of base32hex each; the time is in milliseconds. Because "_" comes after "."
 * in ASCII, both forms together compare as strings in stream order: a cursor is never below the id of the
 * event before it, and of two cursors after the same event the later one is above. Older cursors of the first
 * form stay valid.
 *
 * The payload is binary, written in base64url: a version byte; the epoch and, in the first form, the time as varints; a
 * scale byte; the number of partitions and, for each, the lowest offset at which reading must start, divided by
 * 2^scale, as varints; and a CRC-32 of all text and bytes before it except the separator of the payload. Offsets are
 * lower bounds and may be rounded down. The scale is the smallest one that keeps the text short.
 */
const EVENT_ID_VERSION = 1;
const CURSOR_VERSION = 2;
const DIGITS = 11;
const TIME_SEPARATOR = '_';
const PAYLOAD_SEPARATOR = '.';
/** The most characters of a cursor. */
const MAX_LENGTH = 199;
const CHECKSUM_BYTES = 4;
/** The most partitions of the changes topic, since a cursor holds an offset for each. */
export const MAX_PARTITIONS = 100;

export interface Cursor {
  /** The history of the stream to which the sequence belongs. */
  epoch: number;
  /** The last sequence before the cursor; 0 at the beginning. */
  sequence: number;
  /** Milliseconds since 1970. The client has every change up to this time. It decides when the cursor expires. */
  time: number;
  /** The offset in each partition at which reading must start. Further partitions start at their beginning. */
  offsets: readonly number[];
}

/** The text is not a cursor of this service. The message continues a sentence about it. */
export class InvalidCursorError extends Error {
  override name = 'InvalidCursorError';
}

function writeVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

interface Payload {
  version: number;
  /** The numbers before the offsets. */
  numbers: readonly number[];
  offsets: readonly number[];
}

function encodePayload({ version, numbers, offsets }: Payload, scale: number): number[] {
  const bytes = [version];
  for (const number of numbers) writeVarint(bytes, number);
  bytes.push(scale);
  writeVarint(bytes, offsets.length);
  for (const offset of offsets) writeVarint(bytes, Math.floor(offset / 2 ** scale));
  return bytes;
}

function formatDigits(value: number): string {
  return value.toString(32).padStart(DIGITS, '0');
}

function checksumOf(head: string, payload: Uint8Array): number {
  return crc32(payload, crc32(head));
}

/** Encodes a payload with the smallest scale that keeps the text short. */
function fitPayload(headLength: number, payload: Payload): Uint8Array {
  const maxBytes = Math.floor(((MAX_LENGTH - headLength - PAYLOAD_SEPARATOR.length) * 3) / 4);
  let scale = 0;
  let encoded = encodePayload(payload, scale);
  while (encoded.length + CHECKSUM_BYTES > maxBytes) {
    scale += 1;
    encoded = encodePayload(payload, scale);
  }
  return Uint8Array.from(encoded);
}

/** Joins the text before the payload, the encoded payload and their checksum. */
function seal(head: string, encoded: Uint8Array): string {
  const bytes = Buffer.allocUnsafe(encoded.length + CHECKSUM_BYTES);
  bytes.set(encoded);
  bytes.writeUInt32BE(checksumOf(head, encoded), encoded.length);
  return `${head}${PAYLOAD_SEPARATOR}${bytes.toString('base64url')}`;
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

function requireFormattable(cursor: Cursor): void {
  const { epoch, sequence, time, offsets } = cursor;
  const isPossible =
    isCount(epoch) &&
    isCount(sequence) &&
    isCount(time) &&
    offsets.length <= MAX_PARTITIONS &&
    offsets.every(isCount);
  if (!isPossible) throw new RangeError(`No cursor can hold ${JSON.stringify(cursor)}.`);
}

/**
 * The id of the event of a sequence and a time: safe in URLs and headers, under 200 characters.
 *
 * @throws RangeError if a number is negative or not a safe integer, or for more than 100 partitions.
 */
export function formatEventId({ sequence, ...place }: Cursor): string {
  return createEventIds(place)(sequence);
}

/**
 * Formats the ids of events that share everything except their sequence, like most events of a batch.
 *
 * @throws RangeError as `formatEventId` does
 */
export function createEventIds(place: Omit<Cursor, 'sequence'>): (sequence: number) => string {
  requireFormattable({ ...place, sequence: 0 });
  const { epoch, time, offsets } = place;
  const encoded = fitPayload(DIGITS, { version: EVENT_ID_VERSION, numbers: [epoch, time], offsets });
  return (sequence) => {
    if (!Number.isSafeInteger(sequence) || sequence < 0) requireFormattable({ ...place, sequence });
    return seal(formatDigits(sequence), encoded);
  };
}

/**
 * The text of a cursor that is not an event id: safe in URLs and headers, under 200 characters. It is above
 * the id of the event before it, and below the ids of all later events.
 *
 * @throws RangeError if a number is negative or not a safe integer, or for more than 100 partitions.
 */
export function formatCursor(cursor: Cursor): string {
  requireFormattable(cursor);
  const { epoch, sequence, time, offsets } = cursor;
  const head = `${formatDigits(sequence)}${TIME_SEPARATOR}${formatDigits(time)}`;
  return seal(head, fitPayload(head.length, { version: CURSOR_VERSION, numbers: [epoch], offsets }));
}

class PayloadReader {
  #position = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  readByte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new InvalidCursorError('it ends too early');
    this.#position += 1;
    return byte;
  }

  readVarint(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= 0x80) {
      const byte = this.readByte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new InvalidCursorError('it holds a number that is too large');
  }
}

/** @param readTime reads the time. If the payload holds the time, it follows the epoch. */
function decodePayload(
  payload: Buffer,
  known: number,
  readTime: (reader: PayloadReader) => number,
): Omit<Cursor, 'sequence'> {
  const reader = new PayloadReader(payload);
  const version = reader.readByte();
  if (version !== known) throw new InvalidCursorError(`it is of version ${version}, known is ${known}`);
  const epoch = reader.readVarint();
  const time = readTime(reader);
  const scale = reader.readByte();
  const count = reader.readVarint();
  if (count > MAX_PARTITIONS) throw new InvalidCursorError('it has too many partitions');
  const offsets = Array.from({ length: count }, () => reader.readVarint() * 2 ** scale);
  if (!reader.atEnd) throw new InvalidCursorError('it continues after its end');
  return { epoch, time, offsets };
}

/**
 * Parses a cursor of either form. Accepts only the exact output of `formatEventId` and `formatCursor`.
 *
 * @throws InvalidCursorError for any other text
 */
export function parseCursor(text: string): Cursor {
  const match = /^(([0-9a-v]{11})(?:_([0-9a-v]{11}))?)\.([A-Za-z0-9_-]{8,187})$/.exec(text);
  const [, head, sequence, time, payload] = match ?? [];
  if (head === undefined || sequence === undefined || payload === undefined) {
    throw new InvalidCursorError('it does not have the form of an event id or next_cursor');
  }
  const bytes = Buffer.from(payload, 'base64url');
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (bytes.readUInt32BE(body.length) !== checksumOf(head, body)) {
    throw new InvalidCursorError('it was altered or cut short');
  }
  const cursor = {
    sequence: Number.parseInt(sequence, 32),
    ...(time === undefined
      ? decodePayload(body, EVENT_ID_VERSION, (reader) => reader.readVarint())
      : decodePayload(body, CURSOR_VERSION, () => Number.parseInt(time, 32))),
  };
  const safe = [cursor.epoch, cursor.sequence, cursor.time, ...cursor.offsets].every(Number.isSafeInteger);
  const again = () => (time === undefined ? formatEventId(cursor) : formatCursor(cursor));
  if (!safe || again() !== text) throw new InvalidCursorError('it was not made by this service');
  return cursor;
}
