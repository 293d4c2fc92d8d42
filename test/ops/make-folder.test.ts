import { stat, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { makeFolder, nameFolder } from '../../ops/make-folder.ts';
import { useFolder } from '../helpers/use-folder.ts';

const inFolder = useFolder();

test('a folder is made with its parents, and a second time nothing happens', async () => {
  for (let time = 0; time < 2; time += 1) await makeFolder(inFolder('a/b/c'));
  expect((await stat(inFolder('a/b/c'))).isDirectory()).toBe(true);
});

test('a file in the place of a folder, or of its parent, is an error that names the folder for the operator', async () => {
  await writeFile(inFolder('file'), '');
  for (const [path, reason] of [
    ['file', 'file already exists'],
    ['file/below', 'not a directory'],
  ] as const) {
    const error = await makeFolder(inFolder(path)).catch((thrown: unknown) => thrown);
    expect(nameFolder(error, 'DATA_DIR is "x", which')).toMatchObject({
      ...{ name: 'OperatorError', cause: error },
      message: `DATA_DIR is "x", which cannot be used (${reason}): choose a folder that can be written.`,
    });
  }
  const defect = new TypeError('a defect');
  expect(nameFolder(defect, 'x')).toBe(defect);
});
