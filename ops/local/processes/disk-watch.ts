import { statfs } from 'node:fs/promises';
import { count } from '../../table.ts';

/** The servers need room for one or two files of Postgres's write-ahead log, 16 MB each, and for Kafka. */
const NEEDED_BYTES = 40 * 1024 * 1024;
/** A full disk counts as recovered at this size, because restarting servers free some space and take it again. */
const ENOUGH_BYTES = 2 * NEEDED_BYTES;
const CHECK_EVERY_MS = 1000;

/** The free bytes of a folder's disk for an ordinary user. */
async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

export interface DiskWatchOptions {
  folder: string;
  /** Shows a line on the terminal. */
  report(line: string): void;
  /** Called when the disk has room again. */
  onRoom?(): void;
  /** Tests replace it. */
  readFree?: (folder: string) => Promise<number>;
}

/** Reports once that a disk is full, and once that it has room again. */
export class DiskWatch {
  readonly #options: Required<DiskWatchOptions>;
  readonly #timer: NodeJS.Timeout;
  #isFull = false;

  constructor(options: DiskWatchOptions) {
    this.#options = { readFree: readFreeBytes, onRoom: () => {}, ...options };
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  /** Checks now, without waiting for the next check. */
  async check(): Promise<void> {
    const { folder, report, onRoom, readFree } = this.#options;
    const free = await readFree(folder).catch(() => null);
    if (free === null) return;
    const bytes = count(free);
    if (!this.#isFull && free < NEEDED_BYTES) {
      this.#isFull = true;
      report(
        `The disk of ${folder} is full: ${bytes} bytes are free, and ${count(NEEDED_BYTES)} are needed. Free some ` +
          'space. Until then the service may stop; afterwards it continues by itself.',
      );
    } else if (this.#isFull && free >= ENOUGH_BYTES) {
      this.#isFull = false;
      report(`The disk of ${folder} has room again (${bytes} bytes free).`);
      onRoom();
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
