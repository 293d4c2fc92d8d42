import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { GZIP_HEADER, GzipMember, storePiece } from './gzip-member.ts';
import { makeChunk, SharedBytes, type WireForm } from './shared-bytes.ts';

interface Connection extends WireForm {
  /** Ends the message after everything that was written. */
  end: () => void;
}

/**
 * The connection that a stream's frames go out on. Frames for many connections are encoded once and written to each
 * socket as they are: `ServerResponse.write` would build the chunk anew for every connection.
 */
export class EventOutput {
  readonly #socket: Writable;
  readonly #connection: Connection;
  readonly #member: GzipMember | undefined;

  /** @param socket receives the body of a message whose headers are written */
  constructor(socket: Writable, connection: Connection) {
    this.#socket = socket;
    this.#connection = connection;
    if (!connection.gzip) return;
    this.#member = new GzipMember();
    this.#writeOwn(GZIP_HEADER);
  }

  /**
   * Writes the headers of a response at once and returns the output of its body, once the answers before it on the same
   * connection are finished; null if the connection closes before. Nothing else may be written to the response.
   */
  static async open(response: ServerResponse, { gzip }: { gzip: boolean }): Promise<EventOutput | null> {
    response.flushHeaders();
    if (!response.socket && !response.closed) await comesFirst(response, ['socket', 'close']);
    const { socket, chunkedEncoding: chunked } = response;
    if (!socket) return null;
    // Frames are often small and minutes apart.
    socket.setNoDelay(true);
    socket.setTimeout(0);
    return new EventOutput(socket, { gzip, chunked, end: () => response.end() });
  }

  /** Whether the socket takes nothing more for now. */
  get needsDrain(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /**
   * Writes frames. Returns false if the socket takes nothing more for now. A client that has disconnected gets nothing; the
   * connection closes soon.
   */
  write(frames: SharedBytes): boolean {
    if (!this.#socket.writable) return false;
    this.#member?.add(frames.piece);
    return this.#socket.write(frames.in(this.#connection));
  }

  /** Writes frames of this connection alone, which are not worth compressing. */
  writeText(text: string): void {
    this.write(new SharedBytes(Buffer.from(text), storePiece));
  }

  /** Resolves when the socket takes more. Rejects if the signal aborts before. */
  async drained(signal: AbortSignal): Promise<void> {
    await once(this.#socket, 'drain', { signal });
  }

  /** Ends the message. */
  end(): void {
    if (this.#member) this.#writeOwn(this.#member.ending);
    this.#connection.end();
  }

  #writeOwn(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(this.#connection.chunked ? makeChunk(bytes) : bytes);
  }
}

/** Resolves when one of these events happens, or an error does. */
async function comesFirst(response: ServerResponse, events: readonly string[]): Promise<void> {
  const settled = new AbortController();
  const happen = events.map((event) => once(response, event, { signal: settled.signal }));
  await Promise.race(happen).catch(() => {});
  settled.abort();
}
