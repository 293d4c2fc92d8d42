import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Whether the shell finds this command.
 *
 * @param {string} command
 */
export function isOnPath(command) {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => existsSync(path.join(folder, command)));
}
