import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { OperatorError } from '../service/operator-error.ts';

/**
 * The file or folder at a path; null if the path does not exist.
 *
 * @throws Error of the file system if that is unknown, for example without the right to enter a folder
 */
export async function findPath(path: string): Promise<Stats | null> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

/** The file at a path. @throws OperatorError for a missing file, a folder or a pipe; as `findPath` does */
export async function requireFile(path: string): Promise<Stats> {
  const info = await findPath(path);
  if (info === null) throw new OperatorError(`There is no file ${path}.`);
  if (info.isDirectory()) throw new OperatorError(`${path} is a folder: name a file in it.`);
  if (!info.isFile()) {
    throw new OperatorError(`${path} is neither a file nor a folder: copy its contents to a file first.`);
  }
  return info;
}
