import { execFileSync } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { makePrivate, nameData } from '../../../ops/local/data-dir.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const fileOf = useFolder();

const modeOf = async (dir: string) => ((await stat(dir)).mode & 0o777).toString(8);

test('only its user can enter a new DATA_DIR', async () => {
  const dir = fileOf('new/data');
  await makePrivate(dir);
  expect(await modeOf(dir)).toBe('700');
});

test.each([
  ['an empty folder', null, '700'],
  ['the folder of an earlier start', 'run', '700'],
  ['a folder that has another purpose too', 'photos', '755'],
])('%s has the right mode', async (_, entry, mode) => {
  const dir = fileOf(`with ${entry}`);
  await mkdir(path.join(dir, entry ?? ''), { recursive: true, mode: 0o755 });
  await makePrivate(dir);
  expect(await modeOf(dir)).toBe(mode);
});

test('a DATA_DIR that cannot be made is refused in one sentence', async () => {
  await writeFile(fileOf('file'), '');
  const dir = fileOf('file/data');
  await expect(makePrivate(dir)).rejects.toThrow(
    `DATA_DIR is "${dir}", which cannot be used (not a directory): choose a folder that can be written.`,
  );
});

test('a shell reads any DATA_DIR in the commands to copy', () => {
  const dir = "/Ann's data/$HOME";
  expect(execFileSync('sh', ['-c', `${nameData(dir)}printenv DATA_DIR`], { encoding: 'utf8' })).toBe(
    `${dir}\n`,
  );
});
