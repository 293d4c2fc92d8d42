import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { stopWhenInterrupted } from '../service/interrupted.ts';

const open = new Set<ServerFolder>();

process.once('exit', () => {
  for (const folder of open) folder.abandon();
});

/** A folder for a test's servers, which end with this process. */
export class ServerFolder {
  readonly dir: string;
  readonly #pids: number[] = [];
  readonly #forget = stopWhenInterrupted(async () => this.abandon());

  private constructor(dir: string) {
    this.dir = dir;
    open.add(this);
  }

  /** @param name the beginning of the folder's name */
  static async make(name: string): Promise<ServerFolder> {
    return new ServerFolder(await mkdtemp(path.join(os.tmpdir(), name)));
  }

  /** Notes the process of a server in the folder. */
  readonly onSpawn = async (pid: number): Promise<void> => {
    this.#pids.push(pid);
  };

  /** Removes the folder once its servers have stopped. */
  async remove(): Promise<void> {
    open.delete(this);
    this.#forget();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Kills the servers, which have no data to lose, and removes the folder. */
  abandon(): void {
    open.delete(this);
    for (const pid of this.#pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}
