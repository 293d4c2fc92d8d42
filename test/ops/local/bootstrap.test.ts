import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { useFolder } from '../../helpers/use-folder.ts';

const BOOTSTRAP = path.resolve('ops/local/bootstrap.mjs');
const inFolder = useFolder();

async function writeEntry(code: string): Promise<string> {
  const file = inFolder('entry.ts');
  await writeFile(file, code);
  return file;
}

test('runs a TypeScript entry with its own arguments, and only the entry writes to standard output', async () => {
  const entry = await writeEntry(
    'const rest: string[] = process.argv.slice(1); console.log(JSON.stringify(rest));',
  );
  const { stdout } = await promisify(execFile)(process.execPath, [BOOTSTRAP, entry, '--account', 'a b']);
  expect(JSON.parse(stdout)).toEqual([entry, '--account', 'a b']);
});

test('ends with the exit status of the entry', async () => {
  const entry = await writeEntry('process.exitCode = 3 as number;');
  await expect(promisify(execFile)(process.execPath, [BOOTSTRAP, entry])).rejects.toMatchObject({ code: 3 });
});

test('a signal reaches the entry, which ends in its own way', async () => {
  const entry = await writeEntry(
    `process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log('ready' as string);`,
  );
  const child = spawn(process.execPath, [BOOTSTRAP, entry], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([7, null]);
});

test("the entry ends when the shell of npm's script ends", async () => {
  const entry = await writeEntry(
    `process.on('SIGTERM', () => { console.log('told'); process.exit(0); });
     setInterval(() => {}, 1000); console.log('ready' as string);`,
  );
  const command = `"${process.execPath}" "${BOOTSTRAP}" "${entry}"; true`;
  const shell = spawn('sh', ['-c', command], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, npm_lifecycle_event: 'start' },
  });
  await once(shell.stdout, 'data');
  shell.kill('SIGKILL');
  const [told] = await once(shell.stdout, 'data');
  expect(String(told)).toBe('told\n');
});
