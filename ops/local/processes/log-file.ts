import {
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  type WriteStream,
} from 'node:fs';
import path from 'node:path';

const LARGEST_LOG_BYTES = 20 * 1024 * 1024;
/** The pause before a failed file is opened again, in milliseconds. */
const REOPEN_AFTER_MS = 1000;

/**
 * A log whose failure does no harm. Lines that cannot be written, for example on a full disk, are dropped, and the file
 * is reopened until it works. A log that has become large is renamed to `<name>.log.1`.
 */
export class LogFile {
  readonly #file: string;
  readonly #onFailure: (error: Error) => void;
  #stream: WriteStream | null = null;
  /** The bytes that the file may still take. */
  #room = 0;
  #failure: { reason: string; at: number } | null = null;

  /** @param onFailure called with the error when lines begin to be dropped */
  constructor(file: string, onFailure: (error: Error) => void) {
    this.#file = file;
    this.#onFailure = onFailure;
  }

  write(line: string): void {
    if (this.#stream === null && this.#isPausing()) return;
    if (this.#room < 0) this.#turnOver();
    try {
      this.#stream ??= this.#open();
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    const bytes = Buffer.from(`${line}\n`);
    this.#room -= bytes.length;
    this.#stream.write(bytes, (error) => {
      if (!error) this.#failure = null;
    });
  }

  end(): void {
    this.#stream?.end();
  }

  /** Ends the file, which still gets its last lines. */
  #turnOver(): void {
    this.end();
    this.#stream = null;
  }

  #isPausing(): boolean {
    return this.#failure !== null && performance.now() - this.#failure.at < REOPEN_AFTER_MS;
  }

  #open(): WriteStream {
    mkdirSync(path.dirname(this.#file), { recursive: true });
    let size = existsSync(this.#file) ? statSync(this.#file).size : 0;
    // The last lines may still be on their way to the file.
    if (size > LARGEST_LOG_BYTES || (size > 0 && this.#room < 0)) {
      renameSync(this.#file, `${this.#file}.1`);
      size = 0;
    }
    this.#room = LARGEST_LOG_BYTES - size;
    // Opened at once: otherwise the file could be renamed before.
    const stream = createWriteStream(this.#file, { fd: openSync(this.#file, 'a') });
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
