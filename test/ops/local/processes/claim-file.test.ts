import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { claimFile } from '../../../../ops/local/processes/claim-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'ballot-claims-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a claim that another process takes over from an ended one in between stays with that process', async () => {
  const file = path.join(folder, 'claim');
  await writeFile(file, '111\n');
  const isAlive = async (pid: number) => {
    if (pid !== 111) return true;
    await writeFile(`${file}.new`, '222\n');
    await rename(`${file}.new`, file);
    return false;
  };
  expect(await claimFile(file, isAlive)).toBe(222);
  expect(await readFile(file, 'utf8')).toBe('222\n');
  expect(await readdir(folder)).toEqual(['claim']);
});
