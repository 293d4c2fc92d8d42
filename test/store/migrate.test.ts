import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { findPendingMigrations, migrate } from '../../store/migrations/migrate.ts';
import { chooseDatabaseUrl } from '../helpers/postgres/database.ts';
import { createEmpty } from '../helpers/postgres/template.ts';
import { withClient } from '../helpers/postgres/with-client.ts';

/** Migrations of a possible later version. */
const LATER = {
  '001-notes.sql': 'CREATE TABLE notes (id integer PRIMARY KEY);',
  '002-note-texts.sql': "ALTER TABLE notes ADD COLUMN text text NOT NULL DEFAULT '';",
};

let dir: string;
let folder: URL;
let url: string;

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-migrations-'));
  folder = pathToFileURL(`${dir}/`);
  url = chooseDatabaseUrl();
  await createEmpty(url);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, sql] of Object.entries(files)) await writeFile(path.join(dir, name), sql);
}

async function connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient(url, work);
}

const migrateTo = (migrations?: URL) => connected((client) => migrate(client, migrations));
const query = (sql: string) => connected(async (client) => (await client.query(sql)).rows);

test('an empty database gets the baseline and all migrations, and a second run does nothing', async () => {
  const files = (await readdir('store/migrations')).filter((name) => name.endsWith('.sql')).sort();
  const all = ['baseline', ...files];
  expect(await connected((client) => findPendingMigrations(client))).toEqual(all);
  expect(await migrateTo()).toEqual(all);
  expect(await connected((client) => findPendingMigrations(client))).toEqual([]);
  expect(await query('SELECT count(*)::int AS states FROM states')).toEqual([{ states: 56 }]);
  expect(await query('SELECT name FROM plans ORDER BY name')).toEqual(
    ['free', 'internal', 'partner', 'standard'].map((name) => ({ name })),
  );
  expect(await migrateTo()).toEqual([]);
});

test('each migration after the baseline is applied once, in the order of the names', async () => {
  expect(await migrateTo(folder)).toEqual(['baseline']);
  await write(LATER);
  expect(await migrateTo(folder)).toEqual(Object.keys(LATER));
  await write({ '003-last.sql': "INSERT INTO notes (id, text) VALUES (1, 'a')" });
  expect(await migrateTo(folder)).toEqual(['003-last.sql']);
  expect(await migrateTo(folder)).toEqual([]);
  expect(await query('SELECT * FROM notes')).toEqual([{ id: 1, text: 'a' }]);
});

test('a migration that fails changes nothing, and is applied once it is repaired', async () => {
  await write({ ...LATER, '003-broken.sql': 'DROP TABLE notes, schema_migrations;' });
  await expect(migrateTo(folder)).rejects.toThrow('Migration 003-broken.sql failed and was rolled back.');
  expect(await query('SELECT * FROM notes')).toEqual([]);
  await write({ '003-broken.sql': 'DROP TABLE notes;' });
  expect(await migrateTo(folder)).toEqual(['003-broken.sql']);
});

test('programs that migrate at once apply each migration once', async () => {
  await write(LATER);
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrateTo(folder)));
  expect(applied.flat()).toEqual(['baseline', ...Object.keys(LATER)]);
});

test('an applied migration that was edited is refused', async () => {
  await write(LATER);
  await migrateTo(folder);
  await write({ '001-notes.sql': 'CREATE TABLE notes (id bigint PRIMARY KEY);' });
  await expect(migrateTo(folder)).rejects.toThrow(
    'store/migrations/001-notes.sql was edited after the database had applied it. Restore it.',
  );
  await query("UPDATE schema_migrations SET checksum = 'other' WHERE name = 'baseline'");
  await expect(migrateTo(folder)).rejects.toThrow('store/schema was edited');
});

test('a database newer than the program is refused', async () => {
  await write(LATER);
  await migrateTo(folder);
  await expect(migrateTo()).rejects.toThrow(
    'it has the unknown migration 001-notes.sql. Run a newer version.',
  );
});

test('a database of a version before the baseline is refused, and stays as it is', async () => {
  await query(`
    CREATE TABLE schema_migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz);
    INSERT INTO schema_migrations (name, checksum) VALUES ('001-catalogue.sql', 'a'), ('002-endorsements.sql', 'b')`);
  await expect(migrateTo()).rejects.toThrow(
    /^A version before 1\.0\.0 made this database, .* load the data again\.$/,
  );
  await expect(connected((client) => findPendingMigrations(client))).rejects.toThrow('before 1.0.0');
  expect(await query("SELECT to_regclass('states') AS found")).toEqual([{ found: null }]);
});
