import { createWriteStream, existsSync, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import path from 'node:path';

const LARGEST_LOG_BYTES = 20 * 1024 * 1024;
/** The pause before a failed file is opened again, in milliseconds. */
const REOPEN_AFTER_MS = 1000;

/**
 * A log whose failure does no harm. Lines that cannot be written, for example on a full disk, are dropped, and the file
 * is reopened until it works. Opening a large log first renames it to `<name>.log.1`.
 */
export class LogFile {
  readonly #file: string;
  readonly #onFailure: (error: Error) => void;
  #stream: WriteStream | null = null;
  #failure: { reason: string; at: number } | null = null;

  /** @param onFailure called with the error when lines begin to be dropped */
  constructor(file: string, onFailure: (error: Error) => void) {
    this.#file = file;
    this.#onFailure = onFailure;
  }

  write(line: string): void {
    if (this.#stream === null && this.#isPausing()) return;
    try {
      this.#stream ??= this.#open();
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    this.#stream.write(`${line}\n`, (error) => {
      if (!error) this.#failure = null;
    });
  }

  end(): void {
    this.#stream?.end();
  }

  #isPausing(): boolean {
    return this.#failure !== null && performance.now() - this.#failure.at < REOPEN_AFTER_MS;
  }

  #open(): WriteStream {
    mkdirSync(path.dirname(this.#file), { recursive: true });
    if (existsSync(this.#file) && statSync(this.#file).size > LARGEST_LOG_BYTES) {
      renameSync(this.#file, `${this.#file}.1`);
    }
    const stream = createWriteStream(this.#file, { flags: 'a' });
    stream.on('error', (error) => {
      if (this.#stream === stream) this.#stream = null;
      this.#fail(error);
    });
    // The last line before a failure can be incomplete.
    if (this.#failure !== null) stream.write(`\nLines are missing here: ${this.#failure.reason}.\n`);
    return stream;
  }

  #fail(error: Error): void {
    const isNew = this.#failure === null;
    this.#failure = { reason: error.message, at: performance.now() };
    if (isNew) this.#onFailure(error);
  }
}
