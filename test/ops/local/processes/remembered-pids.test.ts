import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from '@jest/globals';
import { readPidFile } from '../../../../ops/local/processes/pid-files.ts';
import { RememberedPids } from '../../../../ops/local/processes/remembered-pids.ts';
import { until } from '../../../helpers/until.ts';

test('a failed write of a pid file ends nothing, and is repeated until it succeeds', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ballot-pids-'));
  const runDir = path.join(folder, 'run');
  // A file blocks the folder's path.
  await writeFile(runDir, '');
  const pids = new RememberedPids(runDir);
  await pids.set('kafka', process.pid);
  await rm(runDir);
  await until('the pid file', async () => (await readPidFile(runDir, 'kafka', '')) === process.pid);
  pids.stop();
  await rm(folder, { recursive: true });
});
