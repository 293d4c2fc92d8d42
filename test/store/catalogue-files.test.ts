/** Catalogue files that operators upload. */
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { ClientBase, PoolClient } from 'pg';
import { inTransaction } from '../../store/connection/transaction.ts';
import {
  beginCatalogueWork,
  CATALOGUE_FILE_DAYS,
  type CatalogueFileOptions,
  changeCatalogueOptions,
  deleteCatalogueFile,
  endCatalogueWork,
  findCatalogueFile,
  forgetOldCatalogueFiles,
  listCatalogueFiles,
  MAX_CATALOGUE_FILES,
  markImported,
  saveCatalogueFile,
} from '../../store/console/catalogue-files.ts';
import { TooManyFilesError } from '../../store/console/make-room.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { overlap } from '../helpers/postgres/overlap.ts';

const { client, url } = useTestDatabase();
const pool = usePool(url);
const OPTIONS: CatalogueFileOptions = {
  ...{ kind: null, isTable: true, election: null, electionType: null },
  ...{ skipRefused: false, keepMissing: false, allowRenames: false },
};

beforeEach(() => client.query('TRUNCATE catalogue_files RESTART IDENTITY'));

const saving =
  (content: Buffer = Buffer.from('a')) =>
  (on: ClientBase) =>
    saveCatalogueFile(on, { person: 'ann', fileName: 'a.csv', content, options: OPTIONS });
const save = (content?: Buffer) => inTransaction(pool, saving(content));
const ids = async () => (await listCatalogueFiles(client)).map(({ id }) => id);

describe('the files that are kept', () => {
  test('are ten: the oldest of those that are imported makes room, and one that is not never does', async () => {
    const saved: number[] = [];
    while (saved.length < MAX_CATALOGUE_FILES) saved.push(await save());
    await expect(save()).rejects.toThrow(TooManyFilesError);
    for (const id of [3, 5]) await markImported(client, id);
    const next = await save();
    expect(await ids()).toEqual([next, 10, 9, 8, 7, 6, 5, 4, 2, 1]);
    await save();
    expect(await ids()).not.toContain(5);
    await expect(save()).rejects.toThrow('There are 10 catalogue files that are not imported.');
  });

  test('are ten also if two are saved at the same time', async () => {
    for (let count = 1; count < MAX_CATALOGUE_FILES; count += 1) await save();
    await expect(overlap(pool, saving(), saving())).rejects.toThrow(TooManyFilesError);
    expect(await ids()).toHaveLength(MAX_CATALOGUE_FILES);
  });

  test('are forgotten some days after their last change', async () => {
    for (let count = 0; count < 3; count += 1) await save();
    await client.query(`UPDATE catalogue_files SET changed_at = now() - $1 * interval '1 day' WHERE id < 3`, [
      CATALOGUE_FILE_DAYS + 0.01,
    ]);
    await changeCatalogueOptions(client, 1, OPTIONS);
    await forgetOldCatalogueFiles(client);
    expect(await ids()).toEqual([3, 1]);
    await deleteCatalogueFile(client, 1);
    expect(await ids()).toEqual([3]);
  });
});

/** Releases a connection without the locks on files, which a closed one keeps for some moments. */
async function release(worker: PoolClient): Promise<void> {
  await worker.query('SELECT pg_advisory_unlock_all()');
  worker.release();
}

describe('the work on a file', () => {
  test('gets its whole content, and one process does it at a time', async () => {
    const content = Buffer.alloc(600 * 1024, 'abcdefg');
    const [id, other] = [await save(content), await save()];
    const [one, two] = [await pool.connect(), await pool.connect()];
    try {
      const begun = await beginCatalogueWork(one, id, 'compare');
      expect([begun?.content.equals(content), begun?.fileName, begun?.options]).toEqual([
        ...[true, 'a.csv', OPTIONS],
      ]);
      expect(await beginCatalogueWork(two, id, 'import')).toBeNull();
      expect((await beginCatalogueWork(two, other, 'import'))?.content.toString()).toBe('a');
      expect(await findCatalogueFile(client, id)).toMatchObject({ work: 'compare', isWorkedOn: true });
      expect(await findCatalogueFile(client, other)).toMatchObject({ work: 'import', isWorkedOn: true });
    } finally {
      await release(one);
      await release(two);
    }
  });

  test('ends with an outcome, which stays until there is a newer one or other options', async () => {
    const id = await save();
    const work = async (result: Parameters<typeof endCatalogueWork>[2]) => {
      const worker = await pool.connect();
      try {
        await beginCatalogueWork(worker, id, 'compare');
        expect(await findCatalogueFile(client, id)).toMatchObject({ work: 'compare', problem: null });
        await endCatalogueWork(worker, id, result);
      } finally {
        await release(worker);
      }
      return findCatalogueFile(client, id);
    };
    expect(await work({ outcome: { added: 1 } })).toMatchObject({
      ...{ outcome: { added: 1 }, problem: null, work: null, workSince: null, importedAt: null },
    });
    expect(await work({ problem: 'No room.' })).toMatchObject({ outcome: { added: 1 }, problem: 'No room.' });
    expect(await work({ outcome: { added: 2 } })).toMatchObject({ outcome: { added: 2 }, problem: null });
    expect((await listCatalogueFiles(client))[0]).toMatchObject({ id, outcome: null });
    await changeCatalogueOptions(client, id, { ...OPTIONS, keepMissing: true });
    expect(await findCatalogueFile(client, id)).toMatchObject({
      ...{ outcome: null, options: { ...OPTIONS, keepMissing: true } },
    });
  });

  test('does not look abandoned to a reader whose snapshot is older than its end', async () => {
    const id = await save();
    const [worker, reader] = [await pool.connect(), await pool.connect()];
    try {
      await beginCatalogueWork(worker, id, 'compare');
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      expect(await findCatalogueFile(reader, id)).toMatchObject({ work: 'compare', isWorkedOn: true });
      await endCatalogueWork(worker, id, { problem: 'No room.' });
      await worker.query('SELECT pg_advisory_unlock_all()');
      const query = jest.spyOn(pool, 'query');
      query.mockImplementationOnce((...asked: Parameters<typeof reader.query>) => reader.query(...asked));
      expect(await findCatalogueFile(pool, id)).toMatchObject({ work: null, problem: 'No room.' });
      expect(query).toHaveBeenCalledTimes(2);
      query.mockRestore();
    } finally {
      await reader.query('ROLLBACK');
      await release(reader);
      await release(worker);
    }
  });

  test('is not begun on a file that is imported, whose options and outcome stay', async () => {
    const id = await save();
    await endCatalogueWork(client, id, { outcome: { added: 1 } });
    expect(await markImported(client, id)).toBe(true);
    expect(await markImported(client, 999)).toBe(false);
    const worker = await pool.connect();
    const begun = await beginCatalogueWork(worker, id, 'import').finally(() => release(worker));
    expect(begun).toBeNull();
    await changeCatalogueOptions(client, id, { ...OPTIONS, keepMissing: true });
    expect(await findCatalogueFile(client, id)).toMatchObject({
      ...{ work: null, outcome: { added: 1 }, options: OPTIONS, importedAt: expect.any(Date) },
    });
    expect(await findCatalogueFile(client, 999)).toBeNull();
  });
});
