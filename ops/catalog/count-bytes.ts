/** The same bytes; their share of the file counts as progress. */
export async function* countBytes(
  bytes: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
  share = 1,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    onBytes(piece.length * share);
    yield piece;
  }
}
