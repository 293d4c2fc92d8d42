/** The folder of a test run's servers after an interruption. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { useFolder } from '../helpers/use-folder.ts';

const inFolder = useFolder();
const FILES = 5000;

/** Makes a folder with so many files that a second signal comes while they are removed. */
const RUN = `
  import { writeFileSync } from 'node:fs';
  import path from 'node:path';
  import { ServerFolder } from './test/helpers/servers/server-folder.ts';
  const { dir } = await ServerFolder.make('interrupted-');
  for (let file = 0; file < ${FILES}; file += 1) writeFileSync(path.join(dir, String(file)), '');
  setInterval(() => {}, 1000);
  console.log(dir);
`;

const countFiles = async (dir: string) => (await readdir(dir).catch(() => [])).length;

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('is removed if %s comes twice', async (signal, status) => {
  const env = { ...process.env, TMPDIR: inFolder() };
  const run = spawn(process.execPath, ['--input-type=module-typescript', '-e', RUN], { env });
  const exited = once(run, 'exit');
  const [dir] = String(await once(run.stdout, 'data'))
    .trim()
    .split('\n');
  run.kill(signal);
  while ((await countFiles(String(dir))) === FILES);
  run.kill(signal);
  expect(await exited).toEqual([status, null]);
  expect(await countFiles(String(dir))).toBe(0);
});
