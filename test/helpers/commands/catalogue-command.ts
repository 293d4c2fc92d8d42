import { afterEach, beforeEach } from '@jest/globals';
import type pg from 'pg';
import { CATALOGUE_TABLES } from '../../../store/catalogue/import.ts';
import { category, contest, election, endorser, ndjson } from '../ballots/catalogue-records.ts';
import { createFolder } from '../folder.ts';
import { useTestDatabase } from '../postgres/database.ts';
import { createIo, createRunner, runToExit } from './command-io.ts';

/** Catalogue files of every kind. */
export const GOOD = {
  'endorser-categories.ndjson': ndjson([
    category(),
    category({ slug: 'party', name: 'Party', name_es: 'Partido' }),
  ]),
  'endorsers.ndjson': ndjson([
    endorser(),
    endorser({ slug: 'us-party', category: 'party', state: 'national' }),
  ]),
  'elections.ndjson': ndjson([
    election(),
    election({ slug: 'or-2026-05-19-primary', date: '2026-05-19', type: 'primary' }),
  ]),
  'contests.ndjson': ndjson([
    contest('mayor'),
    contest('council'),
    contest('mayor', { election: 'or-2026-05-19-primary' }),
  ]),
};

/** The counts of a summary line: added, changed, unchanged, removed, refused. */
export function counts(printed: string[], label: string): number[] {
  const line = printed.find((text) => text.startsWith(label)) ?? '';
  return line.slice(20).trim().split(/\s+/).map(Number);
}

/** The outcome of a command: its exit status and lines, without the path of the folder of files. */
interface Outcome {
  status: number;
  printed: string[];
  told: string[];
}

export interface CatalogueCommand {
  databaseUrl: string;
  client: pg.Client;
  /** Runs `catalog` with these arguments; throws the command's error. */
  run: ReturnType<typeof createRunner>;
  /** Writes files into a folder until the end of the test. @returns the folder */
  writeFiles(files: Record<string, string | Buffer>): Promise<string>;
  /** The path of the file that was written last. */
  file(name: string): string;
  /** Every row of the catalogue with its id and the last transaction that wrote it. */
  contents(): Promise<Record<string, unknown[]>>;
  importFiles(files: Record<string, string | Buffer>, ...options: string[]): Promise<Outcome>;
  importPaths(args: string[]): Promise<Outcome>;
  removeElection(...args: string[]): Promise<Outcome>;
}

/** Gives a test file the command `catalog`, on a database with an empty catalogue before each test. */
export function useCatalogueCommand(): CatalogueCommand {
  const run = createRunner('catalog');
  const database = useTestDatabase();
  const { client } = database;
  let folder: Awaited<ReturnType<typeof createFolder>> | undefined;

  beforeEach(async () => {
    await client.query(`TRUNCATE ${CATALOGUE_TABLES.join(', ')} CASCADE`);
  });
  afterEach(async () => folder?.remove());

  async function outcomeOf(args: string[]): Promise<Outcome> {
    const io = createIo({ DATABASE_URL: database.url });
    const status = await runToExit(run, args, io);
    const prefix = folder ? `${folder.dir}/` : '';
    return { status, printed: io.printed, told: io.told.map((line) => line.replaceAll(prefix, '')) };
  }
  async function writeFiles(files: Record<string, string | Buffer>): Promise<string> {
    await folder?.remove();
    folder = await createFolder(files);
    return folder.dir;
  }
  const importPaths = (args: string[]) => outcomeOf(['import', ...args]);
  return {
    databaseUrl: database.url,
    client,
    run,
    file: (name) => folder?.file(name) ?? name,
    async contents() {
      const all: Record<string, unknown[]> = {};
      for (const table of CATALOGUE_TABLES) {
        all[table] = (await client.query(`SELECT xmin::text, * FROM ${table} ORDER BY 2`)).rows;
      }
      return all;
    },
    writeFiles,
    importFiles: async (files, ...options) => importPaths([await writeFiles(files), ...options]),
    importPaths,
    removeElection: (...args) => outcomeOf(['remove', ...args]),
  };
}
