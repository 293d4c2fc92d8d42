/** Interrupted runs of tests and of load leave no folder and no server. */
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

/** The same in a program that stops something of its own too, as the long runs do. */
const LONG_RUN = `
  import { writeFile } from 'node:fs/promises';
  import { stopWhenInterrupted } from './test/helpers/service/interrupted.ts';
  stopWhenInterrupted(() => writeFile(process.env.TMPDIR + '/stopped', ''));
  ${RUN}
`;

const countFiles = async (dir: string) => (await readdir(dir).catch(() => [])).length;

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('the folder of servers is removed if %s comes twice', async (signal, status) => {
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

test('everything else that must stop has the time for it', async () => {
  const env = { ...process.env, TMPDIR: inFolder() };
  const run = spawn(process.execPath, ['--input-type=module-typescript', '-e', LONG_RUN], { env });
  const exited = once(run, 'exit');
  await once(run.stdout, 'data');
  run.kill('SIGINT');
  expect(await exited).toEqual([130, null]);
  expect(await readdir(env.TMPDIR)).toEqual(['stopped']);
});
