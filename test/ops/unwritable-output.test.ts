import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, symlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { contest, ndjson } from '../helpers/ballots/catalogue-records.ts';
import { GOOD, useCatalogueCommand } from '../helpers/commands/catalogue-command.ts';
import { INHERITED_ENV } from '../helpers/service/inherited-env.ts';

const FULL = '/dev/full';
const testOnFullDisk = existsSync(FULL) ? test : test.skip;
const { databaseUrl, client, writeFiles, file, importFiles, importPaths } = useCatalogueCommand();

function startOps(args: string[], output: number | 'pipe') {
  return spawn(process.execPath, ['ops/main.ts', ...args], {
    env: { ...INHERITED_ENV, DATA_DIR: '/nowhere', DATABASE_URL: databaseUrl },
    stdio: ['ignore', output, 'pipe'],
  });
}

/** Runs a command with this file, or with a reader that closes at once, as standard output. @returns its status and errors */
async function runOps(args: string[], output: string | null): Promise<{ status: unknown; told: string }> {
  await using handle = output === null ? null : await open(output, 'w');
  const child = startOps(args, handle?.fd ?? 'pipe');
  child.stdout?.destroy();
  const [told, [status]] = await Promise.all([text(child.stderr as Readable), once(child, 'exit')]);
  return { status, told };
}

testOnFullDisk('an export to a full disk ends with a sentence', async () => {
  await importFiles({
    ...GOOD,
    'contests.ndjson': ndjson(
      Array.from({ length: 100 }, (_, at) => contest(`mayor-${at}`, { description: 'x'.repeat(2_000) })),
    ),
  });
  const folder = await writeFiles({});
  await symlink(FULL, file('table.csv.part'));
  const slug = (await client.query('SELECT slug FROM elections ORDER BY date DESC LIMIT 1')).rows[0].slug;
  const exported = await runOps(['catalog', 'export', slug, '--to', file('table.csv')], '/dev/null');
  expect(exported).toEqual({
    status: 1,
    told: expect.stringMatching(/^The export cannot be written to .*table\.csv: ENOSPC[^\n]*\n$/),
  });
  expect(existsSync(`${folder}/table.csv`)).toBe(false);

  expect(await runOps(['catalog', 'export', slug], FULL)).toEqual({
    status: 1,
    told: expect.stringMatching(/^Standard output cannot be written \(ENOSPC[^\n]*\n$/),
  });
});

test('a failure counts even if nobody reads the output, and a reader that has read enough is not a failure', async () => {
  await importFiles(GOOD);
  expect(await runOps(['catalog', 'export', 'no-election'], null)).toMatchObject({ status: 1 });
  expect(await runOps(['aliases', 'list'], null)).toEqual({ status: 0, told: '' });
});

test('a command whose messages nobody reads finishes its work', async () => {
  const child = startOps(['keys', 'create', '--account', 'unread', '--plan', 'free'], 'pipe');
  child.stderr?.destroy();
  const [key, [status]] = await Promise.all([text(child.stdout as Readable), once(child, 'exit')]);
  expect([status, key]).toEqual([0, expect.stringMatching(/^bes_\w+\n$/)]);
});

test('a path that the system refuses is named in a sentence', async () => {
  await importFiles(GOOD);
  await writeFiles(GOOD);
  const slug = (await client.query('SELECT slug FROM elections LIMIT 1')).rows[0].slug;
  const inFile = file('contests.ndjson/table.csv');
  expect(await runOps(['catalog', 'export', slug, '--to', inFile], '/dev/null')).toEqual({
    status: 1,
    told: `${inFile}.part cannot be used: not a directory.\n`,
  });
});

test('an import whose report cannot be written tells its outcome', async () => {
  const folder = await writeFiles(GOOD);
  const imported = await importPaths([folder, '--report', '/nowhere/report.html']);
  expect(imported).toMatchObject({
    status: 1,
    told: [expect.stringMatching(/^The report cannot be written to \/nowhere\/report\.html: ENOENT/)],
  });
  expect(imported.printed).toContainEqual(expect.stringMatching(/^contests +3 /));
});
