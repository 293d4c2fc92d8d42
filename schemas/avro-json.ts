/*
 * From Avro's binary form to JSON without objects between, compiled from a schema. The JSON is the one that
 * `JSON.stringify` makes of the decoded value.
 */

/** The part of Avro's schemas that changes use. */
export type JsonSchema =
  | 'string'
  | 'long'
  | 'int'
  | 'boolean'
  | 'null'
  | { type: 'record'; name: string; fields: readonly { name: string; type: JsonSchema }[] }
  | { type: 'enum'; name: string; symbols: readonly string[] }
  | { type: 'long'; logicalType: string }
  | readonly JsonSchema[];

/** Writes the next value of an input to its output. */
export type JsonWriter = (io: AvroToJson) => void;

/** Whether a byte of a string is itself in JSON: printable ASCII but for `"` and `\`. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c ? 1 : 0,
);
/** The most bytes of JSON that one byte of Avro becomes: a control character is written as `\u0000`. */
export const MAX_GROWTH = 6;

const QUOTE = 0x22;
const CLOSE = 0x7d;
const MINUS = 0x2d;
const ZERO = 0x30;

/** Bytes in Avro's binary form that are read, and bytes of JSON that are written. */
export class AvroToJson {
  source: Buffer = Buffer.alloc(0);
  /** Where the next value begins in `source`. */
  at = 0;
  /** Large enough for what is written; a write beyond its end is lost. */
  target: Buffer;
  /** Where the next byte is written. */
  end = 0;
  /** Where strings that are asked for lie in `source`: the start and the end of each. */
  readonly captured: Uint32Array;
  /** By capture: the last text that was asked for. Neighbouring values often have the same. */
  readonly #texts: { bytes: Buffer; text: string }[];

  constructor(target: Buffer, captures: number) {
    this.target = target;
    this.captured = new Uint32Array(captures * 2);
    this.#texts = Array.from({ length: captures }, () => ({ bytes: Buffer.alloc(0), text: '' }));
  }

  /** @throws RangeError if the number is not a safe integer */
  readLong(): number {
    const { source } = this;
    let byte = source[this.at++] ?? 0;
    // The lowest bit is the sign.
    const isNegative = byte & 1;
    let magnitude = (byte & 0x7f) >> 1;
    for (let factor = 64; byte >= 0x80 && factor < 2 ** 62; factor *= 128) {
      byte = source[this.at++] ?? 0;
      magnitude += (byte & 0x7f) * factor;
    }
    const value = isNegative ? -magnitude - 1 : magnitude;
    if (!Number.isSafeInteger(value) || byte >= 0x80) throw new RangeError('a number is too large');
    return value;
  }

  writeInteger(value: number): void {
    const { target } = this;
    let rest = value;
    if (rest < 0) {
      target[this.end++] = MINUS;
      rest = -rest;
    }
    if (rest >= 2 ** 31) {
      this.end += target.write(String(rest), this.end, 'latin1');
      return;
    }
    let digits = 1;
    for (let power = 10; power <= rest; power *= 10) digits += 1;
    for (let index = this.end + digits - 1; index >= this.end; index -= 1) {
      const tenth = (rest / 10) | 0;
      target[index] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    this.end += digits;
  }

  /** Writes ASCII. */
  writeLiteral(bytes: Uint8Array): void {
    const { target } = this;
    for (let index = 0; index < bytes.length; index += 1) target[this.end + index] = bytes[index] as number;
    this.end += bytes.length;
  }

  /**
   * Reads the length of a string, and leaves `at` at its beginning.
   *
   * @throws RangeError if the string does not end before the input does
   */
  readLength(): number {
    const length = this.readLong();
    if (length < 0 || length > this.source.length - this.at) throw new RangeError('a string is too long');
    return length;
  }

  /** Copies plain bytes. Returns false if one of them is not, and `end` stays where it was. */
  copyPlain(length: number): boolean {
    const { source, target, at, end } = this;
    for (let index = 0; index < length; index += 1) {
      const byte = source[at + index] as number;
      if (IS_PLAIN[byte] === 0) return false;
      target[end + index] = byte;
    }
    this.at = at + length;
    this.end = end + length;
    return true;
  }

  /** Copies a string. @returns the number of its bytes in the source, which end at `at` */
  copyString(): number {
    const length = this.readLength();
    this.target[this.end++] = QUOTE;
    if (this.copyPlain(length)) {
      this.target[this.end++] = QUOTE;
      return length;
    }
    this.end -= 1;
    this.end += this.target.write(
      JSON.stringify(this.source.toString('utf8', this.at, this.at + length)),
      this.end,
    );
    this.at += length;
    return length;
  }

  /** The text of the captured string with this index. */
  textOf(index: number): string {
    const start = this.captured[index * 2] ?? 0;
    const end = this.captured[index * 2 + 1] ?? 0;
    const last = this.#texts[index];
    if (last && this.#holds(last.bytes, start, end)) return last.text;
    const text = this.source.toString('utf8', start, end);
    // A copy, because the source may be written again.
    this.#texts[index] = { bytes: Buffer.from(this.source.subarray(start, end)), text };
    return text;
  }

  #holds(bytes: Buffer, start: number, end: number): boolean {
    if (bytes.length !== end - start) return false;
    for (let index = 0; index < bytes.length; index += 1) {
      if (bytes[index] !== this.source[start + index]) return false;
    }
    return true;
  }
}

const NULL = Buffer.from('null');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

const copyInteger: JsonWriter = (io) => io.writeInteger(io.readLong());
const copyString: JsonWriter = (io) => void io.copyString();
const write =
  (bytes: Buffer): JsonWriter =>
  (io) =>
    io.writeLiteral(bytes);
const copyBoolean: JsonWriter = (io) => {
  const byte = io.source[io.at++] ?? 0;
  io.writeLiteral(byte === 0 ? FALSE : TRUE);
};

const isUnion = (schema: JsonSchema): schema is readonly JsonSchema[] => Array.isArray(schema);

/** Reads an index, and writes by the branch or symbol that it names. */
function compileChoice(branches: readonly JsonWriter[]): JsonWriter {
  return (io) => {
    const branch = branches[io.readLong()];
    if (!branch) throw new RangeError('an index is outside of its union or enum');
    branch(io);
  };
}

/** Copies a string and notes where it lies in the source. */
function captureString(index: number): JsonWriter {
  return (io) => {
    const length = io.copyString();
    io.captured[index * 2] = io.at - length;
    io.captured[index * 2 + 1] = io.at;
  };
}

/**
 * Compiles the writer of a schema.
 *
 * @param captures the paths of strings, such as `election.slug`, whose places the writer notes in `captured`
 * @throws Error if the schema has a part that no change uses
 */
export function compileJsonWriter(
  schema: JsonSchema,
  captures: readonly string[] = [],
  path = '',
): JsonWriter {
  if (schema === 'string') {
    const index = captures.indexOf(path);
    return index === -1 ? copyString : captureString(index);
  }
  if (schema === 'long' || schema === 'int') return copyInteger;
  if (schema === 'boolean') return copyBoolean;
  if (schema === 'null') return write(NULL);
  if (isUnion(schema)) {
    return compileChoice(schema.map((branch) => compileJsonWriter(branch, captures, path)));
  }
  if (schema.type === 'long') return copyInteger;
  if (schema.type === 'enum') {
    return compileChoice(schema.symbols.map((symbol) => write(Buffer.from(JSON.stringify(symbol)))));
  }
  if (schema.type === 'record') {
    const parts = schema.fields.map(({ name, type }, index) => ({
      before: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
      copy: compileJsonWriter(type, captures, path === '' ? name : `${path}.${name}`),
    }));
    return (io) => {
      for (const { before, copy } of parts) {
        io.writeLiteral(before);
        copy(io);
      }
      io.target[io.end++] = CLOSE;
    };
  }
  throw new Error(`There is no JSON for the Avro type ${JSON.stringify(schema)}.`);
}
