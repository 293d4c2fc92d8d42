import { FeedError } from './feed-error.ts';

/** The bytes in which a file names its encoding. */
const HEAD_BYTES = 256;

/**
 * The encoding of an XML file by its byte-order mark, or else its declaration: UTF-8 if it has neither. A declaration in
 * letters of one byte is not UTF-16, whatever it says.
 */
function recogniseEncoding(head: Uint8Array): string {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c) return 'utf-16be';
  const start = Buffer.from(head).toString('latin1');
  const said = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(start)?.[1] ?? 'utf-8';
  return /^utf-?16/i.test(said) ? 'utf-8' : said;
}

function createDecoder(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new FeedError(
      `The file says that its encoding is ${encoding}, which is unknown. Save it as UTF-8.`,
    );
  }
}

/**
 * Decodes the bytes of an XML file. Half a character at its end is left out: the file is truncated, which XML shows.
 *
 * @throws FeedError if its encoding is unknown, or bytes are not of its encoding
 */
export async function* decodeXml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let head: Uint8Array = new Uint8Array();
  const decode = (piece: Uint8Array) => {
    try {
      return decoder?.decode(piece, { stream: true });
    } catch {
      throw new FeedError(
        `The file has bytes that are not ${decoder?.encoding.toUpperCase()}, its encoding.`,
      );
    }
  };
  for await (const piece of bytes) {
    if (decoder === null) {
      head = Buffer.concat([head, piece]);
      if (head.length < HEAD_BYTES) continue;
      decoder = createDecoder(recogniseEncoding(head));
      yield decode(head) ?? '';
    } else yield decode(piece) ?? '';
  }
  if (decoder === null) {
    decoder = createDecoder(recogniseEncoding(head));
    yield decode(head) ?? '';
  }
}
