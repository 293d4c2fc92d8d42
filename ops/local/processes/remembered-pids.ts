import { writePidFile } from './pid-files.ts';

const RETRY_MS = 1000;

/**
 * The ids of a start's processes, with a pid file for each. If a file cannot be written, for example on a full disk,
 * the process continues and writing is tried again.
 */
export class RememberedPids {
  readonly #runDir: string;
  readonly #pids = new Map<string, number>();
  readonly #unsaved = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(runDir: string) {
    this.#runDir = runDir;
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
      await writePidFile(this.#runDir, name, pid);
      if (this.#pids.get(name) === pid) this.#unsaved.delete(name);
    } catch {
      // The timer tries again.
    }
  }
}
