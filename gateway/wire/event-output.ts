import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { GZIP_HEADER, GzipMember, storePiece } from '../../feed/gzip-member.ts';
import { makeChunk, SharedBytes, type WireForm } from '../../feed/shared-bytes.ts';

interface Connection extends WireForm {
  /** Ends the message after everything that was written. */
  end: () => void;
}

/**
 * The connection of a stream's frames. Frames for many connections are encoded once, and the same bytes are
 * written to each socket. `ServerResponse.write` would build the chunk again for every connection.
 */
export class EventOutput {
  readonly #socket: Writable;
  readonly #connection: Connection;
  readonly #member: GzipMember | undefined;

  /** @param socket receives the body of a message, after its headers */
  constructor(socket: Writable, connection: Connection) {
    this.#socket = socket;
    this.#connection = connection;
    if (!connection.gzip) return;
    this.#member = new GzipMember();
    this.#writeOwn(GZIP_HEADER);
  }

  /**
   * Writes the headers of a response immediately. Returns the output of its body when the earlier answers on
   * the connection are finished; null if the connection closes first. Nothing else may write to the response.
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
   * Writes frames. Returns false if the socket takes nothing more for now. If the client has disconnected, it
   * writes nothing; the connection closes soon.
   */
  write(frames: SharedBytes): boolean {
    if (!this.#socket.writable) return false;
    this.#member?.add(frames.piece);
    return this.#socket.write(frames.in(this.#connection));
  }

  /** Writes frames for this connection alone. They are too small to compress. */
  writeText(text: string): void {
    this.write(new SharedBytes(Buffer.from(text), storePiece));
  }

  /** Resolves when the socket takes more. Rejects if the signal aborts first. */
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

/** Resolves at the first of these events, or at an error. */
async function comesFirst(response: ServerResponse, events: readonly string[]): Promise<void> {
  const settled = new AbortController();
  const happen = events.map((event) => once(response, event, { signal: settled.signal }));
  await Promise.race(happen).catch(() => {});
  settled.abort();
}
