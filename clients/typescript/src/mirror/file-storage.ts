import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { StorageError } from '../errors.ts';
import { MemoryStorage } from './memory-storage.ts';
import type { MirrorChange, MirroredEndorsement } from './record.ts';
import type { IdRange, MirrorPosition, MirrorStorage } from './storage.ts';

/** The content of the file. */
interface SavedCopy {
  format: 1;
  filter: string;
  cursor: string;
  /** By id. */
  endorsements: Record<string, MirroredEndorsement>;
}

const SAVE_EVERY_MS = 1000;
/** A new file that nobody has written to for this long is what a crash has left, in milliseconds. */
const ABANDONED_MS = 60 * 60_000;

/**
 * Keeps a copy in memory, and saves it with its position in a JSON file at most once a second. After a crash, the
 * mirror reads the changes since the last save again. It suits some hundred thousand endorsements; use SqliteStorage
 * for more.
 */
export class FileStorage implements MirrorStorage {
  readonly #file: string;
  /** Where the next version is written. Its name is its own, so that two processes never mix their versions. */
  readonly #fresh: string;
  readonly #saveEveryMs: number;
  readonly #memory = new MemoryStorage();
  #isSaved = true;
  /** When the last save began or ended, by performance.now(). */
  #savedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends with the save that was requested last. */
  #saves: Promise<void> = Promise.resolve();
  /** The failure of a save in the background. */
  #failure: unknown = null;

  /** @param options.saveEveryMs the least time between two saves, in milliseconds */
  constructor(file: string, { saveEveryMs = SAVE_EVERY_MS }: { saveEveryMs?: number } = {}) {
    this.#file = file;
    this.#fresh = `${file}.${randomUUID()}.new`;
    this.#saveEveryMs = saveEveryMs;
  }

  /** @throws StorageError if the file holds something else */
  async load(): Promise<MirrorPosition | null> {
    const known = await this.#memory.load();
    if (known) return known;
    await removeAbandoned(this.#file);
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return null;
    const { cursor, filter, endorsements } = this.#parse(text);
    const changes = Object.values(endorsements).map((record) => ({ id: record.id, record }));
    await this.#memory.commit(changes, { cursor, filter });
    return this.#memory.load();
  }

  async commit(changes: readonly MirrorChange[], position: MirrorPosition): Promise<void> {
    this.#throwFailure();
    await this.#memory.commit(changes, position);
    this.#isSaved = false;
    // Node warns of a negative wait.
    const waitMs = Math.max(this.#savedAt + this.#saveEveryMs - performance.now(), 0);
    this.#timer ??= setTimeout(() => {
      this.flush().catch((error: unknown) => {
        this.#failure = error;
      });
    }, waitMs);
  }

  async replace(
    batches: AsyncIterable<readonly MirroredEndorsement[]>,
    finish: () => MirrorPosition,
  ): Promise<void> {
    await this.#memory.replace(batches, finish);
    this.#isSaved = false;
    await this.flush();
  }

  get(id: number): Promise<MirroredEndorsement | null> {
    return this.#memory.get(id);
  }

  read(range?: IdRange): AsyncIterable<readonly MirroredEndorsement[]> {
    return this.#memory.read(range);
  }

  /** Saves unsaved changes, after all earlier saves. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#saves = this.#saves.catch(() => {}).then(() => (this.#isSaved ? undefined : this.#write()));
    return this.#saves;
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure;
  }

  /** Writes a new file beside the old one, then renames it. A crash cannot interrupt that. */
  async #write(): Promise<void> {
    const { position } = this.#memory;
    if (position === null) return;
    const endorsements: SavedCopy['endorsements'] = {};
    // Without an await in between, so that the records match the position.
    this.#isSaved = true;
    // A commit during the save waits for its turn as well.
    this.#savedAt = performance.now();
    for (const record of this.#memory.records()) endorsements[record.id] = record;
    const copy: SavedCopy = { format: 1, ...position, endorsements };
    try {
      await writeDurably(this.#fresh, JSON.stringify(copy));
      await rename(this.#fresh, this.#file);
      await syncFolder(path.dirname(this.#file));
      this.#savedAt = performance.now();
      // This version has everything that an earlier save has failed to write.
      this.#failure = null;
    } catch (error) {
      this.#isSaved = false;
      await rm(this.#fresh, { force: true }).catch(() => {});
      throw error;
    }
  }

  #parse(text: string): SavedCopy {
    try {
      const copy = JSON.parse(text) as SavedCopy;
      if (copy.format === 1 && copy.cursor && copy.endorsements) return copy;
    } catch {
      // The text is refused below.
    }
    throw new StorageError(
      `${this.#file} is not the copy of a mirror; choose another file, or move it away.`,
    );
  }
}

/** Removes the new files that crashes have left beside a file. A failure costs only room on the disk. */
async function removeAbandoned(file: string): Promise<void> {
  const { dir, base } = path.parse(file);
  const names = await readdir(dir || '.').catch(() => []);
  for (const name of names) {
    const id = name.startsWith(`${base}.`) ? name.slice(base.length + 1) : '';
    if (!/^[0-9a-f-]{36}\.new$/.test(id)) continue;
    const left = path.join(dir, name);
    const writtenAt = await stat(left).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (Date.now() - writtenAt > ABANDONED_MS) await rm(left, { force: true }).catch(() => {});
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    // Errors of an open file, such as that of a full disk, do not name it.
    const { message } = error as Error;
    throw Object.assign(error as Error, { path: file, message: `${message} '${file}'` });
  } finally {
    await handle.close();
  }
}

/** Makes a renamed file survive a power loss. Windows cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
