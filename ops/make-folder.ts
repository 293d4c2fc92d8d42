import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { OperatorError } from '../service/operator-error.ts';

/**
 * Makes a folder and its parents, unless they exist.
 *
 * Node's own `recursive` option hangs in /proc, which reports a missing parent for every new folder.
 *
 * @throws Error of the file system
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder);
  } catch (error) {
    const parent = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    await makeOne(folder);
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const there = await stat(folder).catch(() => null);
    if (!there?.isDirectory()) throw error;
  }
}

/**
 * Turns an error of the file system into an OperatorError about the folder; other errors stay.
 *
 * @param subject the beginning of the sentence, such as `DATA_DIR is "x", which`
 */
export function nameFolder(error: unknown, subject: string): unknown {
  const { errno, syscall } = error as NodeJS.ErrnoException;
  if (errno === undefined || syscall === undefined) return error;
  const reason = getSystemErrorMessage(errno);
  return new OperatorError(`${subject} cannot be used (${reason}): choose a folder that can be written.`, {
    cause: error,
  });
}
