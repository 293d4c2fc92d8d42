/** Element types of `binaryArray`, by their ids in Postgres. */
const ELEMENT_TYPES = { bytea: 17, text: 25, jsonb: 3802 } as const;
/** The version that precedes the text of a jsonb value in binary form. */
const JSONB_VERSION = 1;
const HEADER_BYTES = 20;

/**
 * An array as a parameter in Postgres's binary form. The text form, pg's default, escapes and unescapes every
 * quotation mark and backslash.
 *
 * @param type the type of the elements; the statement casts the parameter to an array of it
 */
export function binaryArray(
  type: keyof typeof ELEMENT_TYPES,
  elements: readonly (string | Buffer | null)[],
): Buffer {
  const prefix = type === 'jsonb' ? 1 : 0;
  const lengths = elements.map((element) => (element === null ? -1 : prefix + Buffer.byteLength(element)));
  const total = lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), HEADER_BYTES);
  const bytes = Buffer.allocUnsafe(total);
  bytes.writeInt32BE(1, 0); // dimensions
  bytes.writeInt32BE(lengths.includes(-1) ? 1 : 0, 4);
  bytes.writeInt32BE(ELEMENT_TYPES[type], 8);
  bytes.writeInt32BE(elements.length, 12);
  bytes.writeInt32BE(1, 16); // the index of the first element
  let at = HEADER_BYTES;
  for (const [index, element] of elements.entries()) {
    at = bytes.writeInt32BE(lengths[index] ?? -1, at);
    if (element === null) continue;
    if (prefix > 0) at = bytes.writeUInt8(JSONB_VERSION, at);
    at += typeof element === 'string' ? bytes.write(element, at) : element.copy(bytes, at);
  }
  return bytes;
}
