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
