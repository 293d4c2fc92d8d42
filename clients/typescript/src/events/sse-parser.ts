import { NetworkError } from '../errors.ts';

/** A frame of a stream of Server-Sent Events. */
export interface Frame {
  /** The name of its event, by default `message`. */
  event: string;
  /** Empty for a frame without data. */
  data: string;
  /** Null if the frame has no id. */
  id: string | null;
  /** The delay before the next connection, in milliseconds; null if the frame names none. */
  retryMs: number | null;
}

/** No frame of the service is nearly as long; its records have less than a megabyte. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** Parses the bytes of a stream of Server-Sent Events, in pieces of any size. */
export class SseParser {
  readonly #decoder = new TextDecoder();
  /** The lines after the last empty line. */
  #rest = '';
  /** The bytes of the pieces since the last one that completed a frame. */
  #restBytes = 0;
  #endedInReturn = false;

  /**
   * Takes the next bytes.
   *
   * @returns the completed frames, in order; comments alone make no frame
   * @throws NetworkError if a frame does not end
   */
  push(bytes: Uint8Array): Frame[] {
    const lines = this.#readLines(bytes);
    const text = this.#rest + lines;
    // Only a line feed completes a frame, so that a long line is not searched again for each of its pieces.
    const blocks = lines.includes('\n') ? text.split('\n\n') : [text];
    this.#restBytes = blocks.length === 1 ? this.#restBytes + bytes.length : 0;
    if (this.#restBytes > MAX_FRAME_BYTES) {
      throw new NetworkError('A frame of the stream has more than 16 MB: its end is lost.');
    }
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => parseFrame(block) ?? []);
  }

  /** Decodes text, and turns every kind of line ending into a line feed. */
  #readLines(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return '';
    // This line feed completes the carriage return that ended the previous piece.
    const own = this.#endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#endedInReturn = text.endsWith('\r');
    return own.includes('\r') ? own.replaceAll(/\r\n?/g, '\n') : own;
  }
}

function parseFrame(block: string): Frame | null {
  const frame: Frame = { event: 'message', data: '', id: null, retryMs: null };
  const data: string[] = [];
  let isEmpty = true;
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (line === '' || colon === 0) continue;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'event') frame.event = value || 'message';
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) frame.id = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) frame.retryMs = Number(value);
    else continue;
    isEmpty = false;
  }
  return isEmpty ? null : { ...frame, data: data.join('\n') };
}
