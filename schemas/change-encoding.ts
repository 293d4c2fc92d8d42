/*
 * A change's message in two parts. The body is known and encoded when the change is made: the fingerprint of the schema,
 * and the Avro of every field after the head. The head has the id, which is known when the change is relayed. Together
 * they are the output of `changeCodec`, because a record in Avro is its fields one after the other.
 */
import avro from 'avsc';
import { FINGERPRINT_BYTES, fingerprint, MARKER, readSchemaVersions } from './avro-codec.ts';
import { type ChangeBody, type ChangeHead, changeCodec, HEAD_FIELDS } from './change.ts';

type BodyPart = keyof ChangeBody;

const newest = avro.Type.forSchema(readSchemaVersions('endorsement-change').at(-1) as avro.Schema);
const HEADER = fingerprint(newest);
const fields = (newest as avro.types.RecordType).fields as { name: string; type: avro.Type }[];
const headType = avro.Type.forSchema({
  type: 'record',
  name: 'ballot.endorsements.ChangeHead',
  fields: fields.slice(0, HEAD_FIELDS.length).map(({ name, type }) => ({ name, type })),
});
const bodyFields = fields
  .slice(HEAD_FIELDS.length)
  .map(({ name, type }) => ({ name: name as BodyPart, type }));

/** The Avro of parts of the catalogue. Many changes share a part, which never changes. */
const encodedParts = new WeakMap<object, Buffer>();
/** The buffer in which bodies are assembled. It grows with the largest body. */
let scratch = Buffer.alloc(16 * 1024);

/** @returns the end of the part in `scratch`, or a number beyond `scratch` if the part does not fit */
function writePart(type: avro.Type, part: object, at: number): number {
  const end = type.encode(part, scratch, at);
  return end < 0 ? at + type.toBuffer(part).length : end;
}

function writeSharedPart(type: avro.Type, part: object, at: number): number {
  let bytes = encodedParts.get(part);
  if (bytes === undefined) {
    bytes = type.toBuffer(part);
    encodedParts.set(part, bytes);
  }
  bytes.copy(scratch, at);
  return at + bytes.length;
}

/** Encodes a body. Its parts must not be altered afterwards. */
export function encodeBody(body: ChangeBody): Buffer {
  let end = HEADER.copy(scratch);
  for (const { name, type } of bodyFields) {
    end = name === 'endorsement' ? writePart(type, body[name], end) : writeSharedPart(type, body[name], end);
    if (end > scratch.length) break;
  }
  if (end <= scratch.length) return Buffer.from(scratch.subarray(0, end));
  scratch = Buffer.alloc(2 * Math.max(end, scratch.length));
  return encodeBody(body);
}

/**
 * The message of a change, equal to the output of `changeCodec`.
 *
 * @param encoded the result of `encodeBody`, in this version or an earlier one
 */
export function encodeChange(encoded: Buffer, head: ChangeHead): Buffer {
  const headBytes = headType.toBuffer(head);
  return Buffer.concat([
    MARKER,
    encoded.subarray(0, FINGERPRINT_BYTES),
    headBytes,
    encoded.subarray(FINGERPRINT_BYTES),
  ]);
}

/** A head for reading bodies without one. */
const NO_HEAD: ChangeHead = { epoch: 0, sequence: 0, id: '', type: 'created', occurred_at: 0 };

/**
 * Decodes a body.
 *
 * @param encoded the result of `encodeBody`, in this version or an earlier one
 * @throws AvroDecodeError if it has a later version
 */
export function decodeBody(encoded: Buffer): ChangeBody {
  const { endorsement, endorser, contest, election, choice } = changeCodec.decode(
    encodeChange(encoded, NO_HEAD),
  );
  return { endorsement, endorser, contest, election, choice };
}
