/**
 * Reads files with one JSON value a line, without loading a whole file. A line ends at a line feed; a carriage return
 * before it is white space to JSON. Blank lines are skipped but counted.
 */
import { ENCODING_NAMES, recogniseOtherKind, recogniseUnicode } from '../../intake/tables/encoding.ts';
import { parseUnchanged } from '../../schemas/catalogue/changed-numbers.ts';
import { OperatorError } from '../../service/operator-error.ts';

/** A line of a file: its JSON value from `parseUnchanged`, or the reason why it has none. */
export type JsonLine = { line: number; value: unknown } | { line: number; fault: string };

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads the lines of a file, numbered from 1.
 *
 * @param file the file's name in messages
 * @param maxLineBytes longer lines are refused unread
 * @throws OperatorError if the file is in UTF-16 or no text; the errors of `pieces`
 */
export async function* readNdjson(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<JsonLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 0;
  for await (const bytes of readLines(requireText(file, pieces), maxLineBytes)) {
    line += 1;
    if (bytes === null) {
      yield { line, fault: `is longer than ${maxLineBytes.toLocaleString('en-US')} bytes` };
      continue;
    }
    let text: string;
    try {
      text = decoder.decode(bytes);
    } catch {
      yield { line, fault: 'is not valid UTF-8' };
      continue;
    }
    if (line === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    if (text.trim() === '') continue;
    yield parseLine(line, text);
  }
}

/** Passes pieces on. @throws OperatorError if the first one shows that the file is in UTF-16 or no text */
async function* requireText(file: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isKnown = false;
  for await (const piece of pieces) {
    if (!isKnown) {
      const encoding = recogniseUnicode(piece) ?? 'utf-8';
      const kind = recogniseOtherKind(piece) ?? (encoding === 'utf-8' ? null : ENCODING_NAMES[encoding]);
      if (kind !== null)
        throw new OperatorError(`${file} is ${kind}: it must be lines of JSON in UTF-8, and not compressed.`);
    }
    isKnown = true;
    yield piece;
  }
}

function parseLine(line: number, text: string): JsonLine {
  let value: unknown;
  try {
    value = parseUnchanged(text);
  } catch (error) {
    return { line, fault: `is not JSON: ${(error as Error).message}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, fault: 'is not a JSON object' };
  }
  return { line, value };
}

/** The bytes of each line; null for a line that is too long. */
async function* readLines(
  source: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Buffer | null> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  const add = (piece: Uint8Array) => {
    length += piece.length;
    if (length > maxLineBytes) pieces = [];
    else pieces.push(piece);
  };
  const take = () => {
    const bytes = length > maxLineBytes ? null : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    return bytes;
  };

  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (length > 0) yield take();
}
