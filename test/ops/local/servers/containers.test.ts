import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { startPostgres } from '../../../../ops/local/servers/containers.ts';
import { withClient } from '../../../helpers/postgres/with-client.ts';

const run = promisify(execFile);

/** These tests fetch images, so they run only on request: TEST_CONTAINERS=1 npm test -- test/ops/local/servers/containers */
const testInContainers = process.env.TEST_CONTAINERS === '1' ? test : test.skip;

async function query(url: string, text: string): Promise<unknown[]> {
  return withClient(url, async (client) => (await client.query(text)).rows);
}

testInContainers(
  "a container's server listens only on 127.0.0.1, replaces a leftover, and is removed with its folder",
  async () => {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-containers-'));
    const leftover = await startPostgres({ dir });
    await query(leftover.url, 'CREATE TABLE kept AS SELECT 1 AS one');
    const { stdout } = await run('docker', ['ps', '--format', '{{.Ports}}']);
    expect(stdout).toContain(`127.0.0.1:${leftover.port}->5432/tcp`);
    expect(stdout).not.toContain(`0.0.0.0:${leftover.port}->`);

    const second = await startPostgres({ dir, port: leftover.port });
    expect(await leftover.exited).toBe('exit code 0');
    expect(await query(second.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
    await second.stop();

    await rm(dir, { recursive: true });
    const third = await startPostgres({ dir });
    expect(await query(third.url, "SELECT to_regclass('kept') AS kept")).toEqual([{ kept: null }]);
    await third.stop();
    await third.stop();
    await rm(dir, { recursive: true });
  },
);
