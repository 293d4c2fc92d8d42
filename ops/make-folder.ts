import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { OperatorError } from '../service/operator-error.ts';

/**
 * Makes a folder, and those it stands in, where they are not there.
 *
 * Node's own `recursive` never comes back from /proc, where a new folder's parent is said to be missing although it is
 * there.
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
 * What to throw where a folder cannot be made or written: that is the operator's to mend; anything else stays as it is.
 *
 * @param subject how the sentence begins, such as `DATA_DIR is "x", which`
 */
export function nameFolder(error: unknown, subject: string): unknown {
  const { errno, syscall } = error as NodeJS.ErrnoException;
  if (errno === undefined || syscall === undefined) return error;
  const reason = getSystemErrorMessage(errno);
  return new OperatorError(`${subject} cannot be used (${reason}): give a folder that can be written.`, {
    cause: error,
  });
}
