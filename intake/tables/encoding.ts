import { TableError } from './table-error.ts';

/** The encodings of tables, by the names of `TextDecoder`. */
export type TableEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'macintosh';

/** The names of the encodings for people. */
export const ENCODING_NAMES: Readonly<Record<TableEncoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (little-endian)',
  'utf-16be': 'UTF-16 (big-endian)',
  'windows-1252': 'Windows-1252',
  macintosh: 'Mac Roman',
};

/** The encodings that a mark or zero bytes can show. */
type Unicode = Exclude<TableEncoding, 'windows-1252' | 'macintosh'>;

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** The bytes at the beginning of a file that decide its encoding and its separator. */
export const SAMPLE_BYTES = 1024 * 1024;

const MARKS: readonly (readonly [Unicode, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
/** The signatures of files that people take for text. */
const OTHER_KINDS: readonly (readonly [string, readonly number[]])[] = [
  ['an Excel workbook or another zip file', [0x50, 0x4b, 0x03, 0x04]],
  ['an old Excel workbook', [0xd0, 0xcf, 0x11, 0xe0]],
  ['a PDF', [0x25, 0x50, 0x44, 0x46]],
  ['a gzip file', [0x1f, 0x8b]],
  ['an image', [0x89, 0x50, 0x4e, 0x47]],
  ['an image', [0xff, 0xd8, 0xff]],
  ['a document in RTF', [0x7b, 0x5c, 0x72, 0x74, 0x66]],
];
/** The beginning of a web page, or of XML: some programs export those under the names of spreadsheets. */
const MARKUP = /^\s*<(!doctype|html|head|meta|style|table|\?xml)\b/i;

/** The characters of the bytes that continue a letter in UTF-8. */
const CONTINUING = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 64 }, (_, at) => 0x80 + at),
);
/** Bytes that mean nothing in Windows-1252; and letters that are UTF-8 read as Windows-1252, such as `Ã©` for é. */
const NOT_WINDOWS_1252 = new RegExp(`[\\u0081\\u008d\\u008f\\u0090\\u009d]|[ÂÃ][${CONTINUING}]|â€`, 'u');

const begins = (bytes: Uint8Array, mark: readonly number[]) => mark.every((byte, at) => bytes[at] === byte);

/** The kind of a file that is not text, in words, by its first bytes; null for text. */
export function recogniseOtherKind(sample: Uint8Array): string | null {
  if (MARKUP.test(new TextDecoder().decode(sample.subarray(0, 100)))) return 'a web page or XML';
  return OTHER_KINDS.find(([, signature]) => begins(sample, signature))?.[0] ?? null;
}

/**
 * The encoding that a byte-order mark or zero bytes show; null without them. UTF-16 without a mark has a zero byte in
 * nearly every character.
 */
export function recogniseUnicode(sample: Uint8Array): Unicode | null {
  for (const [encoding, mark] of MARKS) if (begins(sample, mark)) return encoding;
  const zeros = [0, 0];
  sample.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const many = sample.length / 4;
  if (odd > many && even === 0) return 'utf-16le';
  if (even > many && odd === 0) return 'utf-16be';
  return null;
}

/**
 * Recognises the encoding of a table by its byte-order mark, or else by its first bytes: UTF-8 if they are valid, and
 * Windows-1252 if they are not. Excel for Mac ends the lines of Mac Roman with carriage returns alone.
 *
 * @param sample the first bytes of the file, at most SAMPLE_BYTES
 * @param whole whether these are all bytes of the file
 * @throws TableError if the file is not text at all
 */
export function recogniseEncoding(sample: Uint8Array, whole: boolean): TableEncoding {
  const kind = recogniseOtherKind(sample);
  if (kind !== null) {
    throw new TableError(`The file is ${kind}, not a table of text: save the sheet as "CSV UTF-8" first.`);
  }
  const unicode = recogniseUnicode(sample);
  if (unicode !== null) return unicode;
  try {
    // The sample can end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: !whole });
    return 'utf-8';
  } catch {
    return sample.includes(CARRIAGE_RETURN) && !sample.includes(LINE_FEED) ? 'macintosh' : 'windows-1252';
  }
}

/** The most bytes of a decoded piece. Reading one of quotation marks in the wrong places takes some 20 ms. */
const PIECE_BYTES = 4_096;

/**
 * Decodes the bytes of a table, in small pieces. A byte that has no meaning in the encoding becomes U+FFFD, which
 * `findBrokenText` finds.
 */
export async function* decodeTable(
  bytes: AsyncIterable<Uint8Array>,
  encoding: TableEncoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length; at += PIECE_BYTES) {
      yield decoder.decode(piece.subarray(at, at + PIECE_BYTES), { stream: true });
    }
  }
  yield decoder.decode();
}

/** The end of a sentence about a text that its encoding does not explain: `has bytes that…`; null for a sound text. */
export function findBrokenText(text: string, encoding: TableEncoding): string | null {
  if (text.includes('\0')) return 'has zero bytes, which no text has: the file is damaged, or no table';
  const name = ENCODING_NAMES[encoding];
  const advice = 'save the file as UTF-8, and look at this line';
  if (text.includes('\ufffd'))
    return `has bytes that are not ${name}, unlike the beginning of the file: ${advice}`;
  if (encoding === 'windows-1252' && NOT_WINDOWS_1252.test(text)) {
    return `has bytes that are not ${name}, and neither is the whole file UTF-8: ${advice}`;
  }
  return null;
}
