import { randomUUID } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StorageError } from '../errors.ts';
import type { MirrorChange, MirroredEndorsement } from './record.ts';
import type { IdRange, MirrorPosition, MirrorStorage } from './storage.ts';

const FORMAT = 1;
const BATCH = 1000;

/** The tables of a copy. Programs may read `endorsements` at any time, and add indexes and views of their own. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS mirror (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    format INTEGER NOT NULL,
    filter TEXT NOT NULL,
    cursor TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS endorsements (id INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;
`;

/**
 * Keeps a copy and its position in an SQLite database. Other programs can read the file with SQL at the same time;
 * `endorsements.record` has each endorsement's JSON. Every commit is one transaction.
 */
export class SqliteStorage implements MirrorStorage {
  readonly #file: string;
  readonly #database: DatabaseSync;
  /** The table of a new copy until it is complete. Its name is its own, so that two processes never mix their copies. */
  readonly #incoming = `mirror_incoming_${randomUUID().replaceAll('-', '')}`;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #find: StatementSync;
  readonly #locate: StatementSync;
  /** The position that this storage has read or written last. */
  #known: string | null = null;

  /**
   * @param file the path of the database, which is created if it is missing
   * @throws StorageError if it cannot be opened, or is not the copy of a mirror
   */
  constructor(file: string) {
    this.#file = file;
    try {
      this.#database = new DatabaseSync(file);
      // A power loss may undo the last transactions, which the mirror then reads again. It never splits one.
      // The wait for other processes comes first, because they may be opening the same file.
      this.#database.exec(
        'PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL',
      );
      this.#database.exec(TABLES);
      this.#put = this.#database.prepare('INSERT OR REPLACE INTO endorsements (id, record) VALUES (?, ?)');
      this.#remove = this.#database.prepare('DELETE FROM endorsements WHERE id = ?');
      this.#find = this.#database.prepare('SELECT record FROM endorsements WHERE id = ?');
      this.#locate = this.#database.prepare('SELECT format, filter, cursor FROM mirror');
    } catch (error) {
      // SQLite names no file.
      throw new StorageError(`${file} cannot be used as the copy of a mirror: ${(error as Error).message}.`, {
        cause: error,
      });
    }
  }

  /** @throws StorageError if a newer version of this package wrote the copy */
  async load(): Promise<MirrorPosition | null> {
    const row = this.#locate.get();
    if (!row) return null;
    if (row.format !== FORMAT) {
      throw new StorageError(
        `${this.#file} has the format ${row.format}, and this version knows only ${FORMAT}.`,
      );
    }
    this.#known = String(row.cursor);
    return { filter: String(row.filter), cursor: this.#known };
  }

  async commit(changes: readonly MirrorChange[], position: MirrorPosition): Promise<void> {
    this.#transact(() => {
      for (const { id, record } of changes) {
        if (record) this.#put.run(id, JSON.stringify(record));
        else this.#remove.run(id);
      }
      this.#move(position);
    });
  }

  async replace(
    batches: AsyncIterable<readonly MirroredEndorsement[]>,
    finish: () => MirrorPosition,
  ): Promise<void> {
    this.#transact(() => {
      for (const name of this.#listIncoming()) this.#database.exec(`DROP TABLE "${name}"`);
      this.#database.exec(`CREATE TABLE ${this.#incoming} (id INTEGER PRIMARY KEY, record TEXT) STRICT`);
    });
    const add = this.#database.prepare(`INSERT OR REPLACE INTO ${this.#incoming} (id, record) VALUES (?, ?)`);
    for await (const batch of batches) {
      this.#transact(() => {
        this.#requireIncoming();
        for (const record of batch) add.run(record.id, JSON.stringify(record));
      });
    }
    this.#transact(() => {
      this.#requireIncoming();
      // The table stays, with the indexes that its owner may have added.
      this.#database.exec(`
        DELETE FROM endorsements;
        INSERT INTO endorsements SELECT id, record FROM ${this.#incoming};
        DROP TABLE ${this.#incoming};
      `);
      this.#move(finish());
    });
  }

  /** The tables of copies that are not complete: this one, those that crashes have left, and other processes'. */
  #listIncoming(): string[] {
    const find = this.#database.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'mirror_incoming*'",
    );
    return find.all().map(({ name }) => String(name));
  }

  /** @throws StorageError if another process has begun to replace the copy as well */
  #requireIncoming(): void {
    if (!this.#listIncoming().includes(this.#incoming)) throw this.#createForeignError();
  }

  async get(id: number): Promise<MirroredEndorsement | null> {
    const row = this.#find.get(id);
    return row ? JSON.parse(String(row.record)) : null;
  }

  /** Reads in its own transaction, which sees one state of the copy. */
  async *read(
    { first_id, last_id }: IdRange = { first_id: 0, last_id: Number.MAX_SAFE_INTEGER },
  ): AsyncGenerator<readonly MirroredEndorsement[], void> {
    const reader = new DatabaseSync(this.#file, { readOnly: true });
    try {
      reader.exec('BEGIN');
      const page = reader.prepare(
        'SELECT id, record FROM endorsements WHERE id > ? AND id <= ? ORDER BY id LIMIT ?',
      );
      for (let after = first_id - 1; ; ) {
        const rows = page.all(after, last_id, BATCH);
        if (rows.length > 0)
          yield rows.map(({ record }) => JSON.parse(String(record)) as MirroredEndorsement);
        if (rows.length < BATCH) return;
        after = Number(rows.at(-1)?.id);
      }
    } finally {
      reader.close();
    }
  }

  /** Does not wait for readers. A reader keeps later commits out of a checkpoint. */
  async flush(): Promise<void> {
    this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    // A synced commit makes all earlier ones durable. It must write something, so it rewrites the present value.
    const version = this.#database.prepare('PRAGMA user_version');
    this.#database.exec('PRAGMA synchronous = FULL');
    try {
      this.#transact(() => this.#database.exec(`PRAGMA user_version = ${version.get()?.user_version}`));
    } finally {
      this.#database.exec('PRAGMA synchronous = NORMAL');
    }
  }

  /** Closes the database. */
  close(): void {
    this.#database.close();
  }

  /** Sets the position unless another process has moved it: two mirrors would spoil the same copy. */
  #move({ cursor, filter }: MirrorPosition): void {
    const stored = this.#database.prepare('SELECT cursor FROM mirror').get()?.cursor ?? null;
    if (stored !== this.#known) throw this.#createForeignError();
    this.#database
      .prepare('INSERT OR REPLACE INTO mirror (one, format, filter, cursor) VALUES (1, ?, ?, ?)')
      .run(FORMAT, filter, cursor);
    this.#known = cursor;
  }

  #createForeignError(): StorageError {
    return new StorageError(`Another mirror writes ${this.#file}; give each process a storage of its own.`);
  }

  #transact(write: () => void): void {
    const known = this.#known;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      write();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#known = known;
      this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has ended the transaction itself, for example because the disk is full.
    }
  }
}
