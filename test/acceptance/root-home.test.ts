/** The whole service in a folder that only root may enter, such as root's home in containers and on cloud machines. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { chooseRunner, inspectMachine } from '../../ops/local/servers/runner.ts';
import { until } from '../helpers/until.ts';

const isPossible = process.getuid?.() === 0 && chooseRunner(await inspectMachine()) === 'embedded';

/** A copy of the project, with packages and jars, in a new folder that only root may enter. */
function copyProject(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'ballot-root-home-'));
  const script = `mkdir "$0/project" && git ls-files -z | tar -c --null -T - | tar -x -C "$0/project" &&
    cp -al node_modules "$0/project/" && cp -al .cache "$0/project/"`;
  execFileSync('sh', ['-c', script, home]);
  return home;
}

(isPossible ? test : test.skip)(
  'npm start works in a folder that only root may enter, with any letters and on another address, and gives Postgres no right of root',
  async () => {
    const home = copyProject();
    expect(statSync(home).mode & 0o077).toBe(0);
    const project = path.join(home, 'project');
    const dataDir = path.join(project, 'données, 候');
    const port = await findFreePort();
    const service = spawn(process.execPath, ['ops/local/bootstrap.mjs', 'ops/local/start.ts'], {
      cwd: project,
      env: {
        ...{ PATH: process.env.PATH, PORT: String(port), METRICS_PORT: String(await findFreePort()) },
        ...{ DATA_DIR: dataDir, DEMO: '0', HOST: '127.0.0.2' },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    service.stdout.on('data', (bytes: Buffer) => {
      output += bytes;
    });
    try {
      await until('it is up', () => output.includes(`is up:  http://127.0.0.2:${port}`), 90_000);
      const pid = readFileSync(path.join(dataDir, 'run', 'postgres.pid'), 'utf8').trim();
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      expect(status).toMatch(/^Uid:\t(?!0\t)/m);
      expect(status).toMatch(/^CapEff:\t0+$/m);
      expect(existsSync(path.join(dataDir, 'kafka', 'data', 'meta.properties'))).toBe(true);
    } finally {
      const ended = once(service, 'exit');
      service.kill('SIGTERM');
      await ended;
      rmSync(home, { recursive: true });
    }
  },
  150_000,
);
