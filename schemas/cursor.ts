import { crc32 } from 'node:zlib';

/*
 * A cursor is a client's position in the change stream, and every event's id is the cursor after it (INV-4).
 *
 *   <sequence: 11 digits of base32hex> "." <payload: base64url>
 *
 * Ids compare as ASCII strings in stream order. The payload is binary: a version byte; epoch and time in
 * milliseconds as varints; a scale byte; the number of partitions and, for each, the lowest offset at which reading
 * must start, divided by 2^scale, as varints; and a CRC-32 of everything before it, including the sequence's text.
 * Offsets are lower bounds and may be rounded down. The scale is the smallest one that keeps the text short.
 */
const VERSION = 1;
const SEQUENCE_DIGITS = 11;
const SEPARATOR = '.';
/** Keeps the text below 200 characters. */
const MAX_PAYLOAD_BYTES = 140;
const CHECKSUM_BYTES = 4;
/** The most partitions that the changes topic may have, since a cursor holds an offset for each. */
export const MAX_PARTITIONS = 100;

export interface Cursor {
  /** The history of the stream that the sequence counts in. */
  epoch: number;
  /** Everything up to this sequence is behind the cursor; 0 is the beginning. */
  sequence: number;
  /** Milliseconds since 1970. The client has every change up to this time, which decides when the cursor expires. */
  time: number;
  /** The offset in each partition at which reading must start. Further partitions start at their beginning. */
  offsets: readonly number[];
}

/** The text is not a cursor of this service. The message completes a sentence about it. */
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

function encodePayload({ epoch, time, offsets }: Cursor, scale: number): number[] {
  const bytes = [VERSION];
  writeVarint(bytes, epoch);
  writeVarint(bytes, time);
  bytes.push(scale);
  writeVarint(bytes, offsets.length);
  for (const offset of offsets) writeVarint(bytes, Math.floor(offset / 2 ** scale));
  return bytes;
}

function formatSequence(sequence: number): string {
  return sequence.toString(32).padStart(SEQUENCE_DIGITS, '0');
}

function checksumOf(sequence: string, payload: Uint8Array): number {
  return crc32(payload, crc32(sequence));
}

/**
 * The text of a cursor: safe in URLs and headers, under 200 characters.
 *
 * @throws RangeError if a number is negative or not a safe integer, or there are more than 100 partitions.
 */
export function formatCursor(cursor: Cursor): string {
  const numbers = [cursor.epoch, cursor.sequence, cursor.time, ...cursor.offsets];
  if (!numbers.every((n) => Number.isSafeInteger(n) && n >= 0) || cursor.offsets.length > MAX_PARTITIONS) {
    throw new RangeError(`No cursor can hold ${JSON.stringify(cursor)}.`);
  }
  let scale = 0;
  let payload = encodePayload(cursor, scale);
  while (payload.length + CHECKSUM_BYTES > MAX_PAYLOAD_BYTES) {
    scale += 1;
    payload = encodePayload(cursor, scale);
  }
  const sequence = formatSequence(cursor.sequence);
  const bytes = Buffer.alloc(payload.length + CHECKSUM_BYTES);
  bytes.set(payload);
  bytes.writeUInt32BE(checksumOf(sequence, bytes.subarray(0, payload.length)), payload.length);
  return `${sequence}${SEPARATOR}${bytes.toString('base64url')}`;
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

function decodePayload(sequence: number, payload: Buffer): Cursor {
  const reader = new PayloadReader(payload);
  const version = reader.readByte();
  if (version !== VERSION) throw new InvalidCursorError(`it is of version ${version}, known is ${VERSION}`);
  const epoch = reader.readVarint();
  const time = reader.readVarint();
  const scale = reader.readByte();
  const count = reader.readVarint();
  if (count > MAX_PARTITIONS) throw new InvalidCursorError('it speaks of too many partitions');
  const offsets = Array.from({ length: count }, () => reader.readVarint() * 2 ** scale);
  if (!reader.atEnd) throw new InvalidCursorError('it goes on after its end');
  return { epoch, sequence, time, offsets };
}

/**
 * Parses a cursor. Accepts only the exact output of `formatCursor`.
 *
 * @throws InvalidCursorError if the text is anything else.
 */
export function parseCursor(text: string): Cursor {
  const match = /^([0-9a-v]{11})\.([A-Za-z0-9_-]{8,188})$/.exec(text);
  const [, sequence, payload] = match ?? [];
  if (sequence === undefined || payload === undefined) {
    throw new InvalidCursorError('it does not have the form of an event id or next_cursor');
  }
  const bytes = Buffer.from(payload, 'base64url');
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (bytes.readUInt32BE(body.length) !== checksumOf(sequence, body)) {
    throw new InvalidCursorError('it was altered or cut short');
  }
  const cursor = decodePayload(Number.parseInt(sequence, 32), body);
  const safe = [cursor.epoch, cursor.sequence, cursor.time, ...cursor.offsets].every(Number.isSafeInteger);
  if (!safe || formatCursor(cursor) !== text) throw new InvalidCursorError('it was not made by this service');
  return cursor;
}
