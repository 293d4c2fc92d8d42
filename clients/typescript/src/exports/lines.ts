/** Splits bytes into lines, and yields the lines of each piece together. Text after the last line feed is left out. */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of pieces) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
}
