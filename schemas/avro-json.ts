/*
 * Converts Avro's binary form directly to JSON, without objects in between. Writers are compiled from a schema. The JSON
 * is the same as `stringifyJson` makes of the decoded value.
 */

import { stringifyJson } from './json-text.ts';
import { copyPlain, createLiteral, type Literal, writeWords } from './json-words.ts';
import { TextCache } from './text-cache.ts';

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

/** The most bytes of JSON for one byte of Avro: a control character is written as `\u0000`. */
export const MAX_GROWTH = 6;

const QUOTE = 0x22;
const CLOSE = 0x7d;
const MINUS = 0x2d;
const ZERO = 0x30;

/** An input in Avro's binary form, and an output in JSON. */
export class AvroToJson {
  source: Buffer = Buffer.alloc(0);
  /** Where the next value begins in `source`. */
  at = 0;
  target: Buffer;
  /** Where the next byte is written. */
  end = 0;
  /** The places of captured strings in `source`: the start and the end of each. */
  readonly captured: Uint32Array;
  /** The texts of captured strings, by capture. */
  readonly #texts: TextCache[];
  /** The whole memory that `source` is a part of. Many values share it. */
  #sourceView = new DataView(this.source.buffer);
  #targetView: DataView;

  constructor(target: Buffer<ArrayBuffer>, captures: number) {
    this.target = target;
    this.#targetView = new DataView(target.buffer, target.byteOffset, target.length);
    this.captured = new Uint32Array(captures * 2);
    this.#texts = Array.from({ length: captures }, () => new TextCache());
  }

  /** Begins to read an input. */
  readFrom(source: Buffer, at: number): void {
    this.source = source;
    this.at = at;
    this.captured.fill(0);
    if (this.#sourceView.buffer !== source.buffer) this.#sourceView = new DataView(source.buffer);
  }

  /**
   * Continues in another output that holds a copy of the bytes so far.
   *
   * @param target has room for the output and three more bytes; a write beyond throws RangeError
   */
  writeTo(target: Buffer<ArrayBuffer>): void {
    this.target = target;
    this.#targetView = new DataView(target.buffer, target.byteOffset, target.length);
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

  writeLiteral(literal: Literal): void {
    writeWords(this.#targetView, this.end, literal);
    this.end += literal.length;
  }

  /**
   * Reads the length of a string, and moves `at` to its beginning.
   *
   * @throws RangeError if the string is longer than the rest of the input
   */
  readLength(): number {
    const length = this.readLong();
    if (length < 0 || length > this.source.length - this.at) throw new RangeError('a string is too long');
    return length;
  }

  /** Copies bytes that JSON does not escape. Returns false, with `end` unchanged, if it escapes one of them. */
  copyPlain(length: number): boolean {
    const from = this.source.byteOffset + this.at;
    if (!copyPlain(this.#sourceView, from, this.#targetView, this.end, length)) return false;
    this.at += length;
    this.end += length;
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
      stringifyJson(this.source.toString('utf8', this.at, this.at + length)),
      this.end,
    );
    this.at += length;
    return length;
  }

  /** The text of the captured string with this index; empty if the input has none, for example null. */
  textOf(index: number): string {
    const start = this.captured[index * 2] ?? 0;
    const length = (this.captured[index * 2 + 1] ?? 0) - start;
    const texts = this.#texts[index] as TextCache;
    return texts.textOf(this.#sourceView, this.source.byteOffset + start, length);
  }
}

const NULL = createLiteral('null');
const TRUE = createLiteral('true');
const FALSE = createLiteral('false');

const copyInteger: JsonWriter = (io) => io.writeInteger(io.readLong());
const copyString: JsonWriter = (io) => void io.copyString();
const write =
  (literal: Literal): JsonWriter =>
  (io) =>
    io.writeLiteral(literal);
const copyBoolean: JsonWriter = (io) => {
  const byte = io.source[io.at++] ?? 0;
  io.writeLiteral(byte === 0 ? FALSE : TRUE);
};

const isUnion = (schema: JsonSchema): schema is readonly JsonSchema[] => Array.isArray(schema);

/** Reads an index, and writes with its branch or symbol. */
function compileChoice(branches: readonly JsonWriter[]): JsonWriter {
  return (io) => {
    const branch = branches[io.readLong()];
    if (!branch) throw new RangeError('an index is outside of its union or enum');
    branch(io);
  };
}

/** Copies a string and notes its place in the source. */
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
 * @param captures the paths of strings, such as `election.slug`. The writer notes their places in `captured`
 * @throws Error if the schema has a type that changes do not use
 */
export function compileJsonWriter(schema: JsonSchema, captures: readonly string[], path = ''): JsonWriter {
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
    return compileChoice(schema.symbols.map((symbol) => write(createLiteral(JSON.stringify(symbol)))));
  }
  if (schema.type === 'record') {
    const parts = schema.fields.map(({ name, type }, index) => ({
      before: createLiteral(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
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
