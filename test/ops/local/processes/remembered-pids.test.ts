import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
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

test('a slow write of a process that has ended leaves the id of its successor in the file', async () => {
  const written: number[] = [];
  const slow = Promise.withResolvers<void>();
  const pids = new RememberedPids('run', async (_dir, _name, pid) => {
    if (pid === 1) await slow.promise;
    written.push(pid);
  });
  const first = pids.set('kafka', 1);
  await pids.set('kafka', 2);
  slow.resolve();
  await first;
  pids.stop();
  expect(written.at(-1)).toBe(2);
});

test('an id is written again after a failure, even if a write of the process before it then succeeds', async () => {
  const written: number[] = [];
  const slow = Promise.withResolvers<void>();
  let isFull = true;
  const pids = new RememberedPids('run', async (_dir, _name, pid) => {
    if (pid === 1) await slow.promise;
    else if (isFull) throw new Error('The disk is full.');
    written.push(pid);
  });
  const first = pids.set('kafka', 1);
  await pids.set('kafka', 2);
  isFull = false;
  slow.resolve();
  await first;
  pids.stop();
  expect(written).toEqual([1, 2]);
});
