import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { claimFile } from '../../../../ops/local/processes/claim-file.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const inFolder = useFolder();

test('a claim that another process takes over from an ended one in between stays with that process', async () => {
  const file = inFolder('claim');
  await writeFile(file, '111\n');
  const isAlive = async (pid: number) => {
    if (pid !== 111) return true;
    await writeFile(`${file}.new`, '222\n');
    await rename(`${file}.new`, file);
    return false;
  };
  expect(await claimFile(file, isAlive)).toBe(222);
  expect(await readFile(file, 'utf8')).toBe('222\n');
  expect(await readdir(inFolder())).toEqual(['claim']);
});

test('a claim belongs to a process that lives; that of one that has ended, or of nobody, can be taken', async () => {
  const file = inFolder('other');
  const alive = new Set<number>();
  const claim = () => claimFile(file, async (pid) => alive.has(pid));
  expect(await claim()).toBeNull();
  alive.add(process.pid);
  expect(await claim()).toBe(process.pid);
  for (const content of ['111\n', '', '111 222\n', '-1\n', '0x10\n']) {
    await writeFile(file, content);
    expect(await claim()).toBeNull();
    expect(await readFile(file, 'utf8')).toBe(`${process.pid}\n`);
  }
  alive.add(111);
  await writeFile(file, '111');
  expect(await claim()).toBe(111);
  expect((await readdir(inFolder())).filter((name) => name.startsWith('other'))).toEqual(['other']);
});
