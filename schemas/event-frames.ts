import { AvroDecodeError, HEADER_LENGTH } from './avro-codec.ts';
import { AvroToJson, compileJsonWriter, type JsonSchema, MAX_GROWTH } from './avro-json.ts';
import { changeCodec, HEAD_FIELDS } from './change.ts';
import { FRAME_END, formatTime, renderFrameHead } from './event.ts';
import { createLiteral, type Literal } from './json-words.ts';
import type { ChangeType } from './vocabulary.ts';

const INITIAL_BYTES = 2 * 1024 * 1024;
/** More than the bytes of a frame that do not come from the strings of its change. */
const FIXED_BYTES = 4096;

const [FRAME_START = '', BEFORE_JSON = ''] = renderFrameHead({ event: 'endorsement', id: '\0' }).split('\0');
const LITERALS = {
  start: createLiteral(FRAME_START),
  beforeJson: createLiteral(BEFORE_JSON),
  id: createLiteral('{"id":"'),
  end: createLiteral(`}${FRAME_END}`),
};

interface Part {
  before: Literal;
  copy: (io: AvroToJson) => void;
}

function readFields(): { types: readonly ChangeType[]; body: readonly { name: string; type: JsonSchema }[] } {
  const schema = changeCodec.schema as JsonSchema & { fields: { name: string; type: JsonSchema }[] };
  const fields = schema.fields;
  if (fields.slice(0, HEAD_FIELDS.length).some(({ name }, index) => name !== HEAD_FIELDS[index])) {
    throw new Error(`The fields of a change must begin with ${HEAD_FIELDS.join(', ')}.`);
  }
  const body = fields.slice(HEAD_FIELDS.length);
  const type = fields[HEAD_FIELDS.indexOf('type')]?.type;
  if (typeof type !== 'object' || !('symbols' in type))
    throw new Error('The type of a change must be an enum.');
  return { types: type.symbols as readonly ChangeType[], body };
}

/**
 * Writes the Server-Sent Events of changes from their Avro, in a row in one buffer, without an object for
 * each. The JSON of an event is its body (specification, "Event body"), which never changes (INV-3).
 *
 * After `write`, the other fields describe the last frame.
 */
export class FrameWriter {
  epoch = 0;
  sequence = 0;
  /** Milliseconds since 1970. */
  occurredAt = 0;
  type: ChangeType = 'created';
  /** Where the JSON of the frame begins. */
  jsonStart = 0;
  readonly #io: AvroToJson;
  readonly #types: { type: ChangeType; json: Literal }[];
  readonly #body: Part[];

  /** @param captures the paths of strings in the body, such as `election.slug`, for `textOf` */
  constructor(captures: readonly string[]) {
    const { types, body } = readFields();
    this.#io = new AvroToJson(Buffer.allocUnsafeSlow(INITIAL_BYTES), captures.length);
    this.#types = types.map((type) => ({
      type,
      json: createLiteral(`","type":"endorsement.${type}","occurred_at":"`),
    }));
    this.#body = body.map(({ name, type }, index) => ({
      before: createLiteral(`${index === 0 ? '"' : ''},${JSON.stringify(name)}:`),
      copy: compileJsonWriter(type, captures, name),
    }));
  }

  /** The end of the last frame, and the start of the next. */
  get end(): number {
    return this.#io.end;
  }

  /** Starts over with an empty buffer. */
  clear(): void {
    if (this.#io.target.length > INITIAL_BYTES) this.#io.writeTo(Buffer.allocUnsafeSlow(INITIAL_BYTES));
    this.#io.end = 0;
  }

  /** Discards everything after a position. */
  retreat(end: number): void {
    this.#io.end = end;
  }

  /** A copy of all frames, in its own memory. */
  copyFrames(): Buffer<ArrayBuffer> {
    // Not from Node's buffer pool: an entry would keep the whole pool block alive.
    const bytes = Buffer.allocUnsafeSlow(this.end);
    this.#io.target.copy(bytes, 0, 0, this.end);
    return bytes;
  }

  /** The string with this index among the captures. */
  textOf(index: number): string {
    return this.#io.textOf(index);
  }

  /**
   * Adds the frame of a change.
   *
   * @param value the value of a record of the changes topic
   * @throws AvroDecodeError if it is not a change; nothing is added then
   */
  write(value: Buffer | null): void {
    const bytes = changeCodec.upgrade(value);
    const before = this.end;
    try {
      this.#reserve(bytes.length * MAX_GROWTH + FIXED_BYTES);
      this.#io.readFrom(bytes, HEADER_LENGTH);
      this.#copyChange();
      if (this.#io.at !== bytes.length) throw new RangeError('the bytes and the datum do not end together');
    } catch (error) {
      this.retreat(before);
      throw new AvroDecodeError('These bytes do not hold a change.', { cause: error });
    }
  }

  #copyChange(): void {
    const io = this.#io;
    this.epoch = io.readLong();
    this.sequence = io.readLong();
    io.writeLiteral(LITERALS.start);
    const idStart = io.end;
    // An id has a line of its own, so a line break in it would forge an event.
    if (!io.copyPlain(io.readLength())) throw new RangeError('the id has invalid characters');
    const idEnd = io.end;
    const type = this.#types[io.readLong()];
    if (!type) throw new RangeError('the type is unknown');
    this.type = type.type;
    this.occurredAt = io.readLong();
    const time = formatTime(this.occurredAt);
    io.writeLiteral(LITERALS.beforeJson);
    this.jsonStart = io.end;
    io.writeLiteral(LITERALS.id);
    io.target.copy(io.target, io.end, idStart, idEnd);
    io.end += idEnd - idStart;
    io.writeLiteral(type.json);
    io.end += io.target.write(time, io.end, 'latin1');
    for (const { before, copy } of this.#body) {
      io.writeLiteral(before);
      copy(io);
    }
    io.writeLiteral(LITERALS.end);
  }

  #reserve(bytes: number): void {
    const { target, end } = this.#io;
    if (target.length - end >= bytes) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(target.length * 2, end + bytes));
    target.copy(larger, 0, 0, end);
    this.#io.writeTo(larger);
  }
}
