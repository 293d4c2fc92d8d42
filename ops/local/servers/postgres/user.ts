/** Finds a user for Postgres, which refuses to run as root. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../../../service/operator-error.ts';

const run = promisify(execFile);
const USER = 'postgres';
const OTHERS_MAY_ENTER = 0o001;

export interface Identity {
  uid: number;
  gid: number;
}

async function lookUp(): Promise<Identity | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', USER]), run('id', ['-g', USER])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

/**
 * The user for Postgres: null if this process is not root and can run it itself, or else the system's `postgres` user,
 * which is created if it is missing.
 *
 * @throws OperatorError if the user can be neither found nor created
 */
export async function findPostgresUser(): Promise<Identity | null> {
  if (process.getuid?.() !== 0) return null;
  const known = await lookUp();
  if (known !== null) return known;
  await run('useradd', ['--system', '--user-group', '--no-create-home', USER]).catch(() => undefined);
  const made = await lookUp();
  if (made !== null) return made;
  throw new OperatorError(
    `Postgres does not run as root, and the user "${USER}" could not be made: run as an ordinary user.`,
  );
}

/** Whether other users may pass through every folder on the way to a file or folder. */
export async function othersMayReach(target: string): Promise<boolean> {
  const folder = path.dirname(target);
  const { mode } = await stat(folder);
  if ((mode & OTHERS_MAY_ENTER) === 0) return false;
  return path.dirname(folder) === folder || othersMayReach(folder);
}
