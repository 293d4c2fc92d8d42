import path from 'node:path';
import { readDataDir } from '../../service/running-service.ts';

/** The folder of the programs' logs. */
export const logFolder = (dataDir: string): string => path.join(dataDir, 'logs');

/** The beginning of a command that finds the servers of a DATA_DIR; empty for the default folder. */
export function nameData(dataDir: string): string {
  return dataDir === path.resolve(readDataDir({})) ? '' : `DATA_DIR='${dataDir}' `;
}
