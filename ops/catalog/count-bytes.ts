import { createReadStream } from 'node:fs';

/** The size of a file's pieces. */
export const PIECE_BYTES = 256 * 1024;

/**
 * The bytes of a file, in pieces. Opens the file when the first piece is asked for.
 *
 * @throws Error of the file system if the file cannot be read
 */
export async function* readBytes(
  path: string,
  onBytes?: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  yield* countBytes(createReadStream(path, { highWaterMark: PIECE_BYTES }), onBytes);
}

/** The same bytes; their share of the file counts as progress. */
export async function* countBytes(
  bytes: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void = () => {},
  share = 1,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    onBytes(piece.length * share);
    yield piece;
  }
}
