import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The path of a program, on the PATH or in a folder of servers; null if it is not installed. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
  for (const folder of folders) {
    try {
      accessSync(path.join(folder, name), constants.X_OK);
      return path.join(folder, name);
    } catch {
      // It is not in this folder.
    }
  }
  return null;
}
