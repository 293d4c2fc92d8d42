import { PassThrough } from 'node:stream';
import type { Pace } from '../http/paced-body.ts';

/** The bytes that may wait in this process for the client, twice: before and after the stream's own step. */
const BUFFER_BYTES = 256 * 1024;

/** The client took nothing for too long, took too little, or its answer took too long in all. */
export class SlowReaderError extends Error {
  override name = 'SlowReaderError';
}

/** The client has disconnected, or the answer has ended already. */
export class ReaderGoneError extends Error {
  override name = 'ReaderGoneError';
}

export interface LineBodyOptions {
  /** Aborts when the client disconnects. */
  closed: AbortSignal;
  /** How slowly the client may take the answer. Only the time in which the service waits for the client counts. */
  pace: Pace;
  /** How long the whole answer may take, in milliseconds. */
  totalMs: number;
}

/** The body of an answer that is written line by line, at the pace of its reader (INV-15). */
export class LineBody {
  /** The bytes of the answer. If the answer is cut, the stream is destroyed without an end. */
  readonly stream = new PassThrough({
    writableHighWaterMark: BUFFER_BYTES,
    readableHighWaterMark: BUFFER_BYTES,
  });
  readonly #pace: Pace;
  readonly #deadline: number;
  #writtenBytes = 0;
  /** The time that the client has let the service wait, in milliseconds. */
  #waitedMs = 0;

  constructor({ closed, pace, totalMs }: LineBodyOptions) {
    this.#pace = pace;
    this.#deadline = performance.now() + totalMs;
    const leave = () => this.stream.destroy();
    if (closed.aborted) leave();
    else closed.addEventListener('abort', leave, { once: true });
  }

  /** Writes lines, and resolves when the reader has taken enough for more. @throws ReaderGoneError, SlowReaderError */
  async write(lines: readonly string[]): Promise<void> {
    // The pool reports a lost connection while its work still runs for a moment. Nothing follows the last
    // line.
    if (!this.stream.writable) throw new ReaderGoneError('The answer has ended.');
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    this.#writtenBytes += bytes.length;
    if (this.stream.write(bytes)) return;
    await this.#waitFor('drain');
    if (this.stream.destroyed) throw new ReaderGoneError('The client has disconnected.');
    if (this.stream.writableNeedDrain || this.#isBelowPace()) {
      throw new SlowReaderError('The client reads too slowly.');
    }
  }

  /** Writes the last line, and resolves when the reader has taken it. @throws ReaderGoneError, SlowReaderError */
  async end(line: string): Promise<void> {
    if (!this.stream.destroyed) {
      this.stream.end(`${line}\n`);
      await this.#waitFor('end');
    }
    if (this.stream.readableEnded) return;
    if (this.stream.destroyed) throw new ReaderGoneError('The client has disconnected.');
    throw new SlowReaderError('The client reads too slowly.');
  }

  /** Cuts the answer, so that the reader sees it is incomplete. */
  cut(): void {
    this.stream.destroy();
  }

  /** Waits for an event or the end of the stream, no longer than the pace allows. */
  async #waitFor(event: 'drain' | 'end'): Promise<void> {
    const begun = performance.now();
    const left = Math.min(this.#pace.stallMs, this.#deadline - begun);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, left));
    this.stream.once(event, resolve);
    this.stream.once('close', resolve);
    await promise;
    clearTimeout(timer);
    this.stream.off(event, resolve);
    this.stream.off('close', resolve);
    this.#waitedMs += performance.now() - begun;
  }

  #isBelowPace(): boolean {
    const { stallMs, bytesPerSecond } = this.#pace;
    const taken = this.#writtenBytes - this.stream.writableLength - this.stream.readableLength;
    return this.#waitedMs >= stallMs && (1000 * taken) / this.#waitedMs < bytesPerSecond;
  }
}
