import { PassThrough } from 'node:stream';

/** The bytes that may wait in this process for the client. */
const BUFFER_BYTES = 256 * 1024;

/** The client took nothing for too long, or its answer took too long in all. */
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
  /** How long the client may take nothing, and how long the whole answer may take, in milliseconds. */
  stallMs: number;
  totalMs: number;
}

/** The body of an answer that is written line by line, at the pace of its reader. */
export class LineBody {
  /** The bytes of the answer. If the answer is cut, the stream is destroyed without an end. */
  readonly stream = new PassThrough({
    writableHighWaterMark: BUFFER_BYTES,
    readableHighWaterMark: BUFFER_BYTES,
  });
  readonly #stallMs: number;
  readonly #deadline: number;

  constructor({ closed, stallMs, totalMs }: LineBodyOptions) {
    this.#stallMs = stallMs;
    this.#deadline = performance.now() + totalMs;
    const leave = () => this.stream.destroy();
    if (closed.aborted) leave();
    else closed.addEventListener('abort', leave, { once: true });
  }

  /**
   * Writes lines, and resolves when the reader has taken enough for more.
   *
   * @throws ReaderGoneError, SlowReaderError
   */
  async write(lines: readonly string[]): Promise<void> {
    // The pool reports a lost connection while its work still runs for a moment. Nothing follows the last
    // line.
    if (!this.stream.writable) throw new ReaderGoneError('The answer has ended.');
    if (this.stream.write(`${lines.join('\n')}\n`)) return;
    const left = Math.min(this.#stallMs, this.#deadline - performance.now());
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, left));
    this.stream.once('drain', resolve);
    this.stream.once('close', resolve);
    await promise;
    clearTimeout(timer);
    this.stream.off('drain', resolve);
    this.stream.off('close', resolve);
    if (this.stream.destroyed) throw new ReaderGoneError('The client has disconnected.');
    if (this.stream.writableNeedDrain) throw new SlowReaderError('The client reads too slowly.');
  }

  /** Writes the last line. */
  end(line: string): void {
    this.stream.end(`${line}\n`);
  }

  /** Cuts the answer, so that the reader sees it is incomplete. */
  cut(): void {
    this.stream.destroy();
  }
}
