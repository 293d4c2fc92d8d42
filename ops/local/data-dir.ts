import { chmod, readdir } from 'node:fs/promises';
import path from 'node:path';
import { readDataDir } from '../../service/running-service.ts';
import { makeFolder, nameFolder } from '../make-folder.ts';

/** The folder of the programs' logs. */
export const logFolder = (dataDir: string): string => path.join(dataDir, 'logs');

/** The beginning of a command that finds the servers of a DATA_DIR; empty for the default folder. */
export function nameData(dataDir: string): string {
  return dataDir === path.resolve(readDataDir({})) ? '' : `DATA_DIR='${dataDir.replaceAll("'", "'\\''")}' `;
}

/**
 * Makes a DATA_DIR that only its user can enter: it holds logs, Kafka's segments and passwords.
 *
 * @throws OperatorError if the folder cannot be made
 */
export async function makePrivate(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir).catch((): string[] => []);
  // A folder with other files may have another purpose too.
  const isOwn = entries.length === 0 || entries.includes('run');
  try {
    await makeFolder(dataDir);
    if (isOwn) await chmod(dataDir, 0o700).catch(exceptOfOthers);
  } catch (error) {
    throw nameFolder(error, `DATA_DIR is "${dataDir}", which`);
  }
}

/** Accepts that a folder keeps its mode: a mounted volume may belong to another user. */
function exceptOfOthers(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM') throw error;
}
