/** A block of a stream of Server-Sent Events: the lines between two empty lines. */
export interface Block {
  /** Its lines as received, separated by line feeds. */
  raw: string;
  /** The name of its event, by default `message`. */
  event: string;
  /** Null for a block without data, such as a comment. */
  data: string | null;
  /** Null if the block has no id. */
  id: string | null;
  /** The delay before the next connection, in milliseconds; null if the block names none. */
  retryMs: number | null;
}

/** Parses the bytes of a stream of Server-Sent Events, in pieces of any size. */
export class SseParser {
  readonly #decoder = new TextDecoder();
  /** The lines after the last empty line. */
  #rest = '';
  #endedInReturn = false;

  /** Takes the next bytes. @returns the completed blocks, in order */
  push(bytes: Uint8Array): Block[] {
    const blocks = (this.#rest + this.#readLines(bytes)).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks
      .map((text) => text.replace(/^\n/, ''))
      .flatMap((text) => (text === '' ? [] : [parseBlock(text)]));
  }

  /** Decodes text, and turns every kind of line ending into a line feed. */
  #readLines(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return '';
    // This line feed completes the carriage return that ended the previous piece.
    const own = this.#endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#endedInReturn = text.endsWith('\r');
    return own.replaceAll(/\r\n?/g, '\n');
  }
}

function parseBlock(raw: string): Block {
  const block: Block = { raw, event: 'message', data: null, id: null, retryMs: null };
  const data: string[] = [];
  for (const line of raw.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'event') block.event = value || 'message';
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) block.id = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) block.retryMs = Number(value);
  }
  return data.length === 0 ? block : { ...block, data: data.join('\n') };
}
