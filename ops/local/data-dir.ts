import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
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
  // A folder that somebody else has made may have another purpose too.
  const isOwn = !existsSync(dataDir) || existsSync(path.join(dataDir, 'run'));
  try {
    await makeFolder(dataDir);
    if (isOwn) await chmod(dataDir, 0o700);
  } catch (error) {
    throw nameFolder(error, `DATA_DIR is "${dataDir}", which`);
  }
}
