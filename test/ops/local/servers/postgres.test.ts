import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reachProgram } from '../../../../ops/local/servers/postgres/reach.ts';
import { startPostgres } from '../../../../ops/local/servers/postgres/server.ts';
import { findPostgresUser } from '../../../../ops/local/servers/postgres/user.ts';
import { chooseRunner, inspectMachine } from '../../../../ops/local/servers/runner.ts';
import type { PostgresServer } from '../../../../ops/local/servers/server.ts';
import { withClient } from '../../../helpers/postgres/with-client.ts';

let folder = '';
let running: PostgresServer | null = null;
const embedded = chooseRunner(await inspectMachine()) === 'embedded';

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'ballot-postgres-'));
});
afterAll(async () => {
  await running?.stop();
  await rm(folder, { recursive: true });
});

async function query(url: string, text: string): Promise<unknown[]> {
  return withClient(url, async (client) => (await client.query(text)).rows);
}

(embedded ? test : test.skip)("a killed run's server is stopped, and nothing is lost", async () => {
  const first = await startPostgres({ dir: folder });
  await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');

  const second = await startPostgres({ dir: folder, port: first.port });
  running = second;
  expect(await first.exited).toBe('exit code 0');
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  expect(
    await query(second.url, `SELECT lower('ÁÉ') AS folded, current_setting('listen_addresses') AS at`),
  ).toEqual([{ folded: 'áé', at: '127.0.0.1' }]);
});

(embedded ? test : test.skip)(
  'a server starts although another program has the id of the last one',
  async () => {
    const dir = path.join(folder, 'reused');
    const first = await startPostgres({ dir });
    await first.stop();
    const other = spawn('sleep', ['600'], { ...(await findPostgresUser()) });
    try {
      const file = path.join(dir, 'data', 'postmaster.pid');
      await writeFile(file, `${other.pid}\n${path.dirname(file)}\n`);
      const second = await startPostgres({ dir });
      await second.stop();
      expect(other.exitCode ?? other.signalCode).toBeNull();
    } finally {
      other.kill();
    }
  },
);

// Only root runs Postgres as another user, and may write the folder of the copies.
(process.getuid?.() === 0 ? test : test.skip)(
  'the user of Postgres can run a copy of programs that the umask of root closed',
  async () => {
    const own = path.join(folder, 'closed');
    const home = path.join(own, 'native');
    const program = path.join(home, 'bin', 'postgres');
    await mkdir(path.dirname(program), { recursive: true });
    await writeFile(path.join(own, 'package.json'), JSON.stringify({ version: path.basename(folder) }));
    await writeFile(program, '#!/bin/sh\n');
    for (const closed of [program, path.dirname(program), home, own]) await chmod(closed, 0o700);

    const copy = await reachProgram(await findPostgresUser(), program);
    const copied = path.dirname(path.dirname(copy));
    try {
      expect(copied).not.toBe(home);
      for (const open of [copy, path.dirname(copy), copied]) {
        expect((await stat(open)).mode & 0o777).toBe(0o755);
      }
    } finally {
      await rm(copied, { recursive: true });
    }
  },
);
