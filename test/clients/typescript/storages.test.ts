/** The storages of the TypeScript client's mirrors: position and data match after every failure. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import {
  BallotEndorsements,
  MemoryStorage,
  type MirrorChange,
  type MirroredEndorsement,
  type MirrorPosition,
  type MirrorStorage,
  StorageError,
} from '../../../clients/typescript/src/index.ts';
import { FileStorage } from '../../../clients/typescript/src/mirror/file-storage.ts';
import { SqliteStorage } from '../../../clients/typescript/src/mirror/sqlite-storage.ts';
import { mirroredEndorsement } from '../../helpers/clients/mirrored.ts';
import { until } from '../../helpers/until.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const SQLITE_STORAGE = fileURLToPath(
  new URL('../../../clients/typescript/src/mirror/sqlite-storage.ts', import.meta.url),
);
const run = promisify(execFile);

let made = 0;
const inFolder = useFolder();
const newFile = () => inFolder(`copy-${made++}`);

const [sample] = fc.sample(mirroredEndorsement(fc.constant(1)), { numRuns: 1, seed: 1 });
const recordOf = (id: number, statement = ''): MirroredEndorsement => ({
  ...(sample as MirroredEndorsement),
  id,
  statement,
});
const at = (cursor: string): MirrorPosition => ({ cursor, filter: '{}' });

async function* batchesOf(...batches: MirroredEndorsement[][]): AsyncGenerator<MirroredEndorsement[]> {
  yield* batches;
}

async function readAll(storage: MirrorStorage): Promise<MirroredEndorsement[]> {
  const all: MirroredEndorsement[] = [];
  for await (const batch of storage.read()) all.push(...batch);
  return all;
}

const KINDS = {
  MemoryStorage: () => new MemoryStorage(),
  FileStorage: (file: string) => new FileStorage(file, { saveEveryMs: 0 }),
  SqliteStorage: (file: string) => new SqliteStorage(file),
};
const kinds = Object.entries(KINDS) as [keyof typeof KINDS, (file: string) => MirrorStorage][];

type Act =
  | { kind: 'commit'; changes: MirrorChange[] }
  | { kind: 'replace'; records: MirroredEndorsement[] }
  | { kind: 'reopen' };

const id = fc.nat({ max: 5 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constant('commit' as const),
    changes: fc.array(
      fc.tuple(id, fc.boolean(), mirroredEndorsement(fc.constant(0))).map(([of, isGone, record]) => ({
        id: of,
        record: isGone ? null : { ...record, id: of },
      })),
      { maxLength: 4 },
    ),
  }),
  fc.record({
    kind: fc.constant('replace' as const),
    records: fc.uniqueArray(mirroredEndorsement(id), { selector: (record) => record.id }),
  }),
  fc.constant({ kind: 'reopen' as const }),
);

describe.each(kinds)('%s', (name, open) => {
  test('keeps commits and replacements through every restart', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 8 }), async (acts) => {
        const file = newFile();
        let storage = open(file);
        let held = new Map<number, MirroredEndorsement>();
        let position: MirrorPosition | null = await storage.load();
        for (const [number, step] of acts.entries()) {
          if (step.kind === 'reopen') {
            await storage.flush();
            if (name === 'MemoryStorage') continue;
            storage = open(file);
            expect(await storage.load()).toEqual(position);
            continue;
          }
          position = at(`cursor ${number}`);
          if (step.kind === 'commit') {
            await storage.commit(step.changes, position);
            for (const change of step.changes) {
              if (change.record) held.set(change.id, change.record);
              else held.delete(change.id);
            }
          } else {
            await storage.replace(batchesOf(step.records), () => at(`cursor ${number}`));
            held = new Map(step.records.map((record) => [record.id, record]));
          }
          const expected = [...held.values()].sort((a, b) => a.id - b.id);
          expect(await readAll(storage)).toEqual(expected);
          expect(await storage.get(3)).toEqual(held.get(3) ?? null);
        }
        await storage.flush();
      }),
      { numRuns: name === 'MemoryStorage' ? 50 : 15 },
    );
  });

  test('shows the old copy until the new one is complete, and keeps it if that fails', async () => {
    const file = newFile();
    const storage = open(file);
    await storage.load();
    await storage.replace(batchesOf([recordOf(1), recordOf(2)]), () => at('old'));
    const broken = async function* () {
      yield [recordOf(7)];
      expect((await readAll(storage)).map((record) => record.id)).toEqual([1, 2]);
      expect(await storage.get(7)).toBeNull();
      throw new Error('cut');
    };
    await expect(storage.replace(broken(), () => at('new'))).rejects.toThrow('cut');
    expect((await readAll(storage)).map((record) => record.id)).toEqual([1, 2]);
    if (name === 'MemoryStorage') return;
    // As after a crash in the middle: no part of the new copy remains.
    const again = open(file);
    expect(await again.load()).toEqual(at('old'));
    expect((await readAll(again)).map((record) => record.id)).toEqual([1, 2]);
    await again.replace(batchesOf([recordOf(8)]), () => at('new'));
    expect((await readAll(again)).map((record) => record.id)).toEqual([8]);
  });

  test('replaces the copy at the next attempt if the first one is cut, without a part of that', async () => {
    const storage = open(newFile());
    await storage.load();
    const broken = async function* () {
      yield [recordOf(7)];
      throw new Error('cut');
    };
    await expect(storage.replace(broken(), () => at('1'))).rejects.toThrow('cut');
    await storage.replace(batchesOf([recordOf(8)]), () => at('1'));
    expect((await readAll(storage)).map((record) => record.id)).toEqual([8]);
  });

  test('reads a part by ids, and one state of the copy during changes', async () => {
    const storage = open(newFile());
    await storage.load();
    const records = Array.from({ length: 2500 }, (_, index) => recordOf(index));
    await storage.replace(batchesOf(records), () => at('1'));
    const part: number[] = [];
    for await (const batch of storage.read({ first_id: 10, last_id: 12 })) {
      part.push(...batch.map((record) => record.id));
    }
    expect(part).toEqual([10, 11, 12]);
    const read: (string | null)[] = [];
    for await (const batch of storage.read()) {
      read.push(...batch.map(({ statement }) => statement));
      if (read.length <= 1000) await storage.replace(batchesOf([recordOf(2000, 'new')]), () => at('2'));
    }
    expect(read).toEqual(Array(2500).fill(''));
  });

  test("refuses another filter's copy, and accepts the same filter in another order", async () => {
    const file = newFile();
    const storage = open(file);
    await storage.load();
    const filter = JSON.stringify({ states: ['CA', 'OR'] });
    await storage.replace(batchesOf([recordOf(1)]), () => ({ cursor: '1', filter }));
    await storage.flush();
    const client = new BallotEndorsements({ baseUrl: 'http://127.0.0.1:9' });
    await expect(client.mirror({ filter: { states: ['CA'] }, storage }).sync()).rejects.toThrow(
      /holds a copy with the filter \{"states":\["CA","OR"\]\}, and this mirror has \{"states":\["CA"\]\}/,
    );
    const same = client.mirror({ filter: { states: ['OR', 'CA', 'OR'] }, storage });
    expect(await same.get(1)).toMatchObject({ id: 1 });
    // biome-ignore lint/suspicious/noExplicitAny: a program without types can do this.
    expect(() => client.mirror({ filter: { types: ['created'] } as any })).toThrow(/no filter field "types"/);
  });
});

describe('FileStorage', () => {
  test('saves by itself, but not at every commit', async () => {
    const file = newFile();
    const storage = new FileStorage(file, { saveEveryMs: 2000 });
    await storage.commit([{ id: 1, record: recordOf(1) }], at('1'));
    await until('the first save', async () => (await stat(file).catch(() => null)) !== null);
    const { ino } = await stat(file);
    const startedAt = performance.now();
    while (performance.now() - startedAt < 150) {
      await storage.commit([{ id: 2, record: recordOf(2) }], at('2'));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await stat(file)).ino).toBe(ino);
    await until('the second save', async () => JSON.parse(await readFile(file, 'utf8')).cursor === '2');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      format: 1,
      filter: '{}',
      cursor: '2',
      endorsements: { 1: recordOf(1), 2: recordOf(2) },
    });
  });

  test('writes nothing if nothing has changed since the last save, and knows its position without the file', async () => {
    const file = newFile();
    const storage = new FileStorage(file, { saveEveryMs: 1_000_000 });
    await storage.commit([{ id: 1, record: recordOf(1) }], at('1'));
    await storage.flush();
    const { ino } = await stat(file);
    await storage.flush();
    expect((await stat(file)).ino).toBe(ino);
    await storage.commit([{ id: 1, record: null }], at('2'));
    expect([await storage.load(), await readAll(storage)]).toEqual([at('2'), []]);
    expect(JSON.parse(await readFile(file, 'utf8')).cursor).toBe('1');
    await storage.flush();
  });

  test('never waits a negative time for an overdue save', async () => {
    const setTimer = jest.spyOn(globalThis, 'setTimeout');
    const storage = new FileStorage(newFile());
    await storage.commit([], at('1'));
    const waits = setTimer.mock.calls.map(([, ms]) => ms);
    setTimer.mockRestore();
    await storage.flush();
    expect(waits).toContain(0);
    expect(waits.filter((ms) => (ms ?? 0) < 0)).toEqual([]);
  });

  test('waits no longer for a save although the clock goes back', async () => {
    const storage = new FileStorage(newFile(), { saveEveryMs: 2000 });
    await storage.commit([], at('1'));
    await storage.flush();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    const setTimer = jest.spyOn(globalThis, 'setTimeout');
    await storage.commit([], at('2'));
    const waits = setTimer.mock.calls.map(([, ms]) => ms ?? 0);
    clock.mockRestore();
    setTimer.mockRestore();
    await storage.flush();
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeLessThanOrEqual(2000);
  });

  const saved = { format: 1, filter: '{}', cursor: 'c', endorsements: {} };
  test.each([
    ['other JSON', '{"mine":1}'],
    ['a text', 'mine'],
    ['a copy in a later format', JSON.stringify({ ...saved, format: 2 })],
    ['a copy without a position', JSON.stringify({ ...saved, cursor: undefined })],
    ['a copy without endorsements', JSON.stringify({ ...saved, endorsements: undefined })],
  ])('refuses a file with %s, and leaves it unchanged', async (_, text) => {
    const file = newFile();
    await writeFile(file, text);
    await expect(new FileStorage(file).load()).rejects.toThrow(StorageError);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  /** A storage whose save has begun, and takes more turns of the event loop. */
  async function beginSave() {
    const file = newFile();
    const storage = new FileStorage(file, { saveEveryMs: 1_000_000 });
    await storage.commit([{ id: 1, record: recordOf(1) }], at('1'));
    const saving = storage.flush();
    await new Promise(setImmediate);
    expect(existsSync(file)).toBe(false);
    return { file, storage, saving };
  }

  test('saves a commit that comes during a save with the next one', async () => {
    const { file, storage, saving } = await beginSave();
    await storage.commit([{ id: 2, record: recordOf(2) }], at('2'));
    await saving;
    await storage.flush();
    const reopened = new FileStorage(file);
    expect(await reopened.load()).toEqual(at('2'));
    expect(await readAll(reopened)).toHaveLength(2);
  });

  test('does not save again at once what came during a save', async () => {
    const { storage, saving } = await beginSave();
    const setTimer = jest.spyOn(globalThis, 'setTimeout');
    await storage.commit([{ id: 2, record: recordOf(2) }], at('2'));
    const waits = setTimer.mock.calls.map(([, ms]) => ms ?? 0);
    setTimer.mockRestore();
    await saving;
    await storage.flush();
    expect(waits.filter((ms) => ms < 900_000)).toEqual([]);
    expect(waits).toHaveLength(1);
  });

  test('writes whole files although two storages save the same file at once, and leaves nothing else', async () => {
    const file = newFile();
    const statement = 'x'.repeat(200_000);
    const storages = [1, 60].map((count) => ({ count, storage: new FileStorage(file, { saveEveryMs: 0 }) }));
    const saveOften = async ({ count, storage }: (typeof storages)[number]) => {
      for (let turn = 0; turn < 15; turn += 1) {
        const changes = Array.from({ length: count }, (_, id) => ({ id, record: recordOf(id, statement) }));
        await storage.commit(changes, at(`${count}`));
        await storage.flush();
        const saved = JSON.parse(await readFile(file, 'utf8'));
        expect(Object.keys(saved.endorsements)).toHaveLength(Number(saved.cursor));
      }
    };
    await Promise.all(storages.map(saveOften));
    const { dir, base } = path.parse(file);
    expect((await readdir(dir)).filter((name) => name.startsWith(`${base}.`))).toEqual([]);
  });

  test('removes what a crash has left long ago when it loads the copy, and leaves the files of others', async () => {
    const file = newFile();
    const [abandoned, written, foreign] = [
      `${file}.5e8a3d0c-7b57-4a56-9a0f-0c8f6b8c2a11.new`,
      `${file}.5e8a3d0c-7b57-4a56-9a0f-0c8f6b8c2a12.new`,
      `${file}.mine.new`,
    ];
    for (const name of [abandoned, written, foreign]) await writeFile(name, '');
    const yesterday = new Date(Date.now() - 24 * 60 * 60_000);
    for (const name of [abandoned, foreign]) await utimes(name, yesterday, yesterday);
    await new FileStorage(file).load();
    expect([abandoned, written, foreign].map((name) => existsSync(name))).toEqual([false, true, true]);
  });

  test('leaves no new file after a save that failed', async () => {
    const file = newFile();
    await mkdir(path.join(file, 'folder'), { recursive: true });
    const storage = new FileStorage(file, { saveEveryMs: 1_000_000 });
    await storage.commit([], at('1'));
    await expect(storage.flush()).rejects.toThrow();
    const { dir, base } = path.parse(file);
    expect((await readdir(dir)).filter((name) => name.startsWith(`${base}.`))).toEqual([]);
  });

  test('reports a save that failed, and saves the same at the next call', async () => {
    const storage = new FileStorage(inFolder('missing/copy'), { saveEveryMs: 0 });
    await storage.commit([], at('1'));
    await expect(storage.flush()).rejects.toThrow(/ENOENT/);
    await mkdir(inFolder('missing'));
    await storage.flush();
    expect(await new FileStorage(inFolder('missing/copy')).load()).toEqual(at('1'));
  });

  test('names the file in the error of a full disk', async () => {
    const file = newFile();
    const handle = await open(`${file}-other`, 'w');
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const write = jest.spyOn(Object.getPrototypeOf(handle), 'writeFile').mockRejectedValue(full);
    const storage = new FileStorage(file, { saveEveryMs: 1_000_000 });
    await storage.commit([], at('1'));
    const failure = await storage.flush().catch((error: unknown) => error);
    write.mockRestore();
    await handle.close();
    expect(failure).toMatchObject({
      code: 'ENOSPC',
      path: expect.stringContaining(file),
      message: expect.stringMatching(/^ENOSPC: no space left on device, write '.+'$/),
    });
    await storage.flush();
  });

  test('reports no save that failed in the background once the same is saved', async () => {
    const storage = new FileStorage(inFolder('soon/copy'), { saveEveryMs: 0 });
    await storage.commit([], at('1'));
    // Timers of the same time fire in their order.
    await new Promise((resolve) => setTimeout(resolve, 0));
    await expect(storage.flush()).rejects.toThrow(/ENOENT/);
    await mkdir(inFolder('soon'));
    await storage.flush();
    await storage.commit([], at('2'));
    await storage.flush();
    expect(await new FileStorage(inFolder('soon/copy')).load()).toEqual(at('2'));
  });

  test('reports a save that failed in the background to one commit, and then saves again', async () => {
    const storage = new FileStorage(inFolder('later/copy'), { saveEveryMs: 0 });
    const commit = (cursor: string) =>
      storage.commit([], at(cursor)).then(
        () => 'kept',
        ({ code }) => code,
      );
    await until('the report', async () => (await commit('1')) === 'ENOENT');
    await mkdir(inFolder('later'));
    await until('a save', async () => (await commit('2')) === 'kept', 5000);
    await storage.flush();
    expect(await new FileStorage(inFolder('later/copy')).load()).toEqual(at('2'));
  });
});

describe('SqliteStorage', () => {
  test("refuses to write to another mirror's copy", async () => {
    const file = newFile();
    const [one, other] = [new SqliteStorage(file), new SqliteStorage(file)];
    await one.load();
    await other.load();
    await one.replace(batchesOf([recordOf(1)]), () => at('1'));
    await expect(other.commit([{ id: 1, record: null }], at('0'))).rejects.toThrow(/Another mirror writes/);
    expect(await one.get(1)).not.toBeNull();
  });

  test('is replaced by one of two processes that begin to replace it, never by parts of both', async () => {
    const file = newFile();
    const [one, other] = [new SqliteStorage(file), new SqliteStorage(file)];
    for (const storage of [one, other]) await storage.load();
    const oneIsOver = Promise.withResolvers<void>();
    let replacing: Promise<void> | undefined;
    const late = async function* () {
      await oneIsOver.promise;
      yield [recordOf(1), recordOf(2)];
    };
    const overtaken = async function* () {
      yield [recordOf(1)];
      replacing = other.replace(late(), () => at('other'));
      yield [recordOf(2)];
    };
    await expect(one.replace(overtaken(), () => at('one'))).rejects.toThrow(/Another mirror writes/);
    oneIsOver.resolve();
    await replacing;
    expect(await other.load()).toEqual(at('other'));
    expect((await readAll(other)).map((record) => record.id)).toEqual([1, 2]);
  });

  test('is opened once another process has let go of it', async () => {
    const file = newFile();
    const program = `
      import { DatabaseSync } from 'node:sqlite';
      const database = new DatabaseSync(${JSON.stringify(file)});
      database.exec('BEGIN EXCLUSIVE');
      console.log('locked');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      database.exec('COMMIT');
    `;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', program]);
    await once(holder.stdout, 'data');
    expect(await new SqliteStorage(file).load()).toBeNull();
    if (holder.exitCode === null) await once(holder, 'exit');
  });

  test('can be opened while it is replaced', async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    await storage.load();
    const observed = async function* () {
      yield [recordOf(1)];
      const reader = new SqliteStorage(file);
      expect([await reader.load(), await readAll(reader)]).toEqual([null, []]);
      reader.close();
      yield [recordOf(2)];
    };
    await storage.replace(observed(), () => at('1'));
    expect((await readAll(storage)).map((record) => record.id)).toEqual([1, 2]);
  });

  test('reports a failed write to the disk, and continues once there is room', async () => {
    const file = newFile();
    const program = `
      import { SqliteStorage } from ${JSON.stringify(SQLITE_STORAGE)};
      const storage = new SqliteStorage(${JSON.stringify(file)});
      await storage.load();
      const commit = (id, length) => {
        const record = { id, statement: 'x'.repeat(length) };
        return storage.commit([{ id, record }], { cursor: String(id), filter: '{}' }).catch(({ message }) => message);
      };
      console.log(JSON.stringify([await commit(1, 1), await commit(2, 1_000_000), await commit(3, 1)]));
    `;
    // The shell limits files to 512 blocks, which are 256 or 512 KB.
    const { stdout } = await run('sh', [
      '-c',
      'ulimit -f 512; exec "$0" --input-type=module -e "$1"',
      process.execPath,
      program,
    ]);
    expect(JSON.parse(stdout)).toEqual([null, 'disk I/O error', null]);
    const storage = new SqliteStorage(file);
    expect(await storage.load()).toEqual(at('3'));
    expect((await readAll(storage)).map((record) => record.id)).toEqual([1, 3]);
  });

  test('can be read with SQL by other programs, with indexes of their own', async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    await storage.load();
    await storage.replace(batchesOf([recordOf(1, 'old')]), () => at('1'));
    const reader = new DatabaseSync(file);
    reader.exec("CREATE INDEX by_statement ON endorsements (record ->> '$.statement')");
    await storage.replace(batchesOf([recordOf(2, 'new')]), () => at('2'));
    const rows = reader.prepare("SELECT id FROM endorsements WHERE record ->> '$.statement' = 'new'").all();
    expect(rows).toEqual([{ id: 2 }]);
    expect(
      reader.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'by_statement'").get(),
    ).toEqual({
      n: 1,
    });
    reader.close();
    storage.close();
  });

  test('saves at once while a loop reads the copy, and leaves the version of its owner', async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    await storage.load();
    const records = Array.from({ length: 1500 }, (_, index) => recordOf(index));
    await storage.replace(batchesOf(records), () => at('1'));
    const owner = new DatabaseSync(file);
    owner.exec('PRAGMA user_version = 7');
    const framesOf = () => Number(owner.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()?.log);
    const loop = storage.read();
    await loop.next();
    await storage.commit([{ id: 5, record: recordOf(5, 'new') }], at('2'));
    const before = framesOf();
    const startedAt = performance.now();
    await storage.flush();
    expect(performance.now() - startedAt).toBeLessThan(3000);
    // The synced commit, after those that it saves.
    expect(framesOf()).toBeGreaterThan(before);
    expect(owner.prepare('PRAGMA user_version').get()).toEqual({ user_version: 7 });
    for await (const _ of loop);
    owner.close();
    storage.close();
  });

  test('keeps the copy if a replacement fails at its end, and continues', async () => {
    const storage = new SqliteStorage(newFile());
    await storage.commit([{ id: 1, record: recordOf(1) }], at('1'));
    const replacing = storage.replace(batchesOf([recordOf(2)]), () => {
      throw new Error('no position');
    });
    await expect(replacing).rejects.toThrow('no position');
    expect([await readAll(storage), await storage.load()]).toEqual([[recordOf(1)], at('1')]);
    await storage.commit([{ id: 3, record: recordOf(3) }], at('2'));
    expect([await readAll(storage), await storage.load()]).toEqual([[recordOf(1), recordOf(3)], at('2')]);
    storage.close();
  });

  test('keeps its position if the database refuses a commit at its end, and continues', async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    await storage.commit([{ id: 1, record: recordOf(1) }], at('1'));
    const owner = new DatabaseSync(file);
    owner.exec(`CREATE TABLE notes (id INTEGER REFERENCES endorsements DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO notes VALUES (1)`);
    await expect(storage.commit([{ id: 1, record: null }], at('2'))).rejects.toThrow(/FOREIGN KEY/);
    expect([await readAll(storage), await storage.load()]).toEqual([[recordOf(1)], at('1')]);
    await expect(storage.commit([{ id: 1, record: null }], at('2'))).rejects.toThrow(/FOREIGN KEY/);
    owner.exec('DELETE FROM notes');
    await storage.commit([{ id: 1, record: null }], at('2'));
    expect([await readAll(storage), await storage.load()]).toEqual([[], at('2')]);
    owner.close();
    storage.close();
  });

  test('refuses a copy of a newer version', async () => {
    const file = newFile();
    new SqliteStorage(file).close();
    const writer = new DatabaseSync(file);
    writer.exec("INSERT INTO mirror VALUES (1, 2, '{}', 'c')");
    writer.close();
    await expect(new SqliteStorage(file).load()).rejects.toThrow(/format 2/);
  });

  test.each([
    ['a JSON file', (file: string) => writeFile(file, '{"format":1}'.repeat(100)), 'file is not a database'],
    [
      'the database of another program',
      async (file: string) => {
        const database = new DatabaseSync(file);
        database.exec('CREATE TABLE endorsements (title TEXT)');
        database.close();
      },
      'table endorsements has no column named id',
    ],
    ['a folder', (file: string) => mkdir(file), 'unable to open database file'],
  ])('names its file when it refuses %s', async (_, make, reason) => {
    const file = newFile();
    await make(file);
    const open = () => new SqliteStorage(file);
    expect(open).toThrow(StorageError);
    expect(open).toThrow(`${file} cannot be used as the copy of a mirror: ${reason}.`);
  });
});
