import { readdirSync, readFileSync } from 'node:fs';
import avro from 'avsc';

/*
 * Avro single-object encoding: the two bytes C3 01, the schema's CRC-64-AVRO fingerprint in little-endian order, and
 * the datum in Avro's binary form. A value therefore names the version of the schema that wrote it.
 */
export const MARKER = Buffer.from([0xc3, 0x01]);
export const FINGERPRINT_BYTES = 8;
/** The bytes before the datum. */
export const HEADER_LENGTH = MARKER.length + FINGERPRINT_BYTES;

/** The bytes do not hold a value of any known version of the schema. */
export class AvroDecodeError extends Error {
  override name = 'AvroDecodeError';
}

/** Writes the newest version of a record and reads every known version. */
export interface AvroCodec<T> {
  encode(value: T): Buffer;
  /** @throws AvroDecodeError if the bytes are not a single-object encoding of a known version. */
  decode(bytes: Uint8Array | null): T;
  /**
   * Converts bytes of any known version to the newest version. Returns bytes of the newest version unchanged.
   *
   * @throws AvroDecodeError as `decode`, but does not check bytes of the newest version
   */
  upgrade(bytes: Buffer | null): Buffer;
  /** The newest version of the schema. */
  schema: avro.Schema;
}

/** All versions of a schema, oldest first, parsed from the `.avsc` files of `schemas/avro`. */
export function readSchemaVersions(name: string): avro.Schema[] {
  const folder = new URL('avro/', import.meta.url);
  const pattern = new RegExp(`^${name}\\.v([0-9]+)\\.avsc$`);
  return readdirSync(folder)
    .flatMap((file) => {
      const version = pattern.exec(file)?.[1];
      return version === undefined ? [] : [{ file, version: Number(version) }];
    })
    .sort((a, b) => a.version - b.version)
    .map(({ file }) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as avro.Schema);
}

/**
 * Creates the codec of the schema `schemas/avro/<name>.v1.avsc`, `.v2.avsc` and so on. `T` is the shape of the newest
 * version. A test checks that every version can read every other.
 *
 * @param maxItems the most items of an array to decode: an item can take a hundred times the memory of its bytes
 */
export function createAvroCodec<T>(name: string, maxItems = Number.POSITIVE_INFINITY): AvroCodec<T> {
  const typeHook = boundArrays(maxItems);
  const versions = readSchemaVersions(name).map((schema) => avro.Type.forSchema(schema, { typeHook }));
  const newest = versions.at(-1);
  if (!newest) throw new Error(`There is no schema schemas/avro/${name}.v1.avsc.`);
  const header = Buffer.concat([MARKER, fingerprint(newest)]);
  const readers = new Map(
    versions.map((writer) => [
      fingerprint(writer).readBigUInt64LE(),
      writer === newest ? undefined : newest.createResolver(writer),
    ]),
  );

  const codec: AvroCodec<T> = {
    schema: newest.schema({ exportAttrs: true }),
    encode: (value) => Buffer.concat([header, newest.toBuffer(value)]),
    upgrade(bytes) {
      return bytes !== null && startsWith(bytes, header) ? bytes : codec.encode(codec.decode(bytes));
    },
    decode(bytes) {
      if (bytes === null) throw new AvroDecodeError(`This record has no value, and so no ${name}.`);
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (buffer.length < HEADER_LENGTH || buffer[0] !== MARKER[0] || buffer[1] !== MARKER[1]) {
        throw new AvroDecodeError(`This is not an Avro single-object encoding of ${name}: no C3 01 marker.`);
      }
      const writer = buffer.readBigUInt64LE(2);
      if (!readers.has(writer)) {
        throw new AvroDecodeError(`No known version of ${name} has the fingerprint ${writer.toString(16)}.`);
      }
      try {
        const { value, offset } = newest.decode(buffer, HEADER_LENGTH, readers.get(writer));
        if (offset !== buffer.length) throw new Error('the bytes and the datum do not end together');
        return value as T;
      } catch (error) {
        const reason =
          error instanceof TooManyItemsError
            ? `A list of this ${name} has more than ${maxItems} items.`
            : `These bytes hold no valid ${name}.`;
        throw new AvroDecodeError(reason, { cause: error });
      }
    },
  };
  return codec;
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  for (let index = 0; index < start.length; index += 1) if (bytes[index] !== start[index]) return false;
  return true;
}

/** avsc's reader of bytes. Reading past their end does not throw; `isValid` is false afterwards. */
interface Tap {
  isValid(): boolean;
  readLong(): number;
  skipLong(): void;
}

class TooManyItemsError extends Error {
  override name = 'TooManyItemsError';
}

/**
 * A hook for array types that stop at the end of the bytes, and after `maxItems` items. avsc's own type creates as
 * many items as a count announces, until memory is full (INV-9).
 */
function boundArrays(maxItems: number) {
  class BoundedArrayType extends avro.types.ArrayType {
    _read(tap: Tap): unknown[] {
      const itemsType = this.itemsType as avro.Type & { _read(tap: Tap): unknown };
      const items: unknown[] = [];
      for (let count = tap.readLong(); count !== 0; count = tap.readLong()) {
        // A negative count is followed by the block's size in bytes.
        if (count < 0) tap.skipLong();
        for (let rest = Math.abs(count); rest > 0; rest -= 1) {
          if (!tap.isValid()) throw new Error('an array announces more items than there are bytes');
          if (items.length >= maxItems) throw new TooManyItemsError();
          items.push(itemsType._read(tap));
        }
      }
      return items;
    }
  }
  return (schema: avro.Schema, options: unknown): avro.Type | undefined => {
    const isArray = typeof schema === 'object' && 'type' in schema && schema.type === 'array';
    return isArray ? new BoundedArrayType(schema, options) : undefined;
  };
}

const EMPTY = 0xc15d213aa4d7a795n;
const CRC_TABLE = BigUint64Array.from({ length: 256 }, (_, byte) => {
  let crc = BigInt(byte);
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >> 1n) ^ (crc & 1n ? EMPTY : 0n);
  return crc;
});

/** CRC-64-AVRO of the schema's Parsing Canonical Form, as eight little-endian bytes. */
export function fingerprint(type: avro.Type): Buffer {
  let crc = EMPTY;
  for (const byte of Buffer.from(JSON.stringify(type.schema()))) {
    crc = (crc >> 8n) ^ (CRC_TABLE[Number((crc ^ BigInt(byte)) & 0xffn)] ?? 0n);
  }
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(crc);
  return bytes;
}
