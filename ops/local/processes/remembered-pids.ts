import { writePidFile } from './pid-files.ts';

const RETRY_MS = 1000;

/**
 * The ids of a start's processes, with a pid file for each. If a file cannot be written, for example on a full disk,
 * the process continues and writing is tried again.
 */
export class RememberedPids {
  readonly #runDir: string;
  readonly #write: typeof writePidFile;
  readonly #pids = new Map<string, number>();
  readonly #unsaved = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  /** @param write tests replace it */
  constructor(runDir: string, write = writePidFile) {
    this.#runDir = runDir;
    this.#write = write;
    this.#timer = setInterval(() => {
      for (const name of this.#unsaved) void this.#save(name);
    }, RETRY_MS);
    this.#timer.unref();
  }

  async set(name: string, pid: number): Promise<void> {
    this.#pids.set(name, pid);
    await this.#save(name);
  }

  /** Ends all of them without waiting. */
  killAll(): void {
    for (const pid of this.#pids.values()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #save(name: string): Promise<void> {
    const pid = this.#pids.get(name);
    if (pid === undefined) return;
    this.#unsaved.add(name);
    try {
      await this.#write(this.#runDir, name, pid);
      if (this.#pids.get(name) === pid) this.#unsaved.delete(name);
      // A slow write may have replaced the id of the successor.
      else await this.#save(name);
    } catch {
      // The timer tries again.
    }
  }
}
