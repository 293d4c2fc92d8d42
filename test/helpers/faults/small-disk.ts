/** Small file systems in memory, which tests can fill to the last byte. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';

export class SmallDisk {
  /** The folder of the mount. */
  readonly folder: string;
  readonly #ballast: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#ballast = path.join(folder, 'ballast');
  }

  /** Mounts one on a new folder; null if that is not possible here. @param sizeMb in megabytes */
  static mount(sizeMb: number): SmallDisk | null {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'ballot-disk-'));
    try {
      const args = ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'ballot-test', folder];
      execFileSync('mount', args, { stdio: 'ignore' });
      return new SmallDisk(folder);
    } catch {
      rmdirSync(folder);
      return null;
    }
  }

  /**
   * Takes the free space.
   *
   * @param leave the bytes that stay free
   * @throws an error other than that of a full disk
   */
  fill({ leave = 0 } = {}): void {
    const file = openSync(this.#ballast, 'a');
    try {
      for (const bytes of [1024 * 1024, 4096]) {
        try {
          for (;;) writeSync(file, Buffer.alloc(bytes));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
      ftruncateSync(file, Math.max(0, fstatSync(file).size - leave));
    } finally {
      closeSync(file);
    }
  }

  /** Frees the space again. */
  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  unmount(): void {
    execFileSync('umount', [this.folder]);
    rmdirSync(this.folder);
  }
}

/** Makes Postgres write its log until it has no more space. @returns the failure */
export async function exhaustPostgres(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  try {
    await client.connect();
    for (;;) await client.query("SELECT pg_logical_emit_message(true, 'test', repeat('x', 1000000))");
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end().catch(() => {});
  }
}
