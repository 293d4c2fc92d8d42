/** Postgres refuses to run as root; this finds another user to run it as. */
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
 * Finds the user to run Postgres as: null if this process is not root and can run it itself, or else the system's
 * `postgres` user, which is made if it is missing.
 *
 * @throws OperatorError if the user can be neither found nor made
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

async function othersMayEnter(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & OTHERS_MAY_ENTER) === 0) return false;
  const parent = path.dirname(folder);
  return parent === folder || othersMayEnter(parent);
}

/**
 * The command line that runs `command` as `identity`. If a folder on the way to `paths` is closed to other users, as
 * /root is, the process keeps one right of root, to pass through folders.
 *
 * @param paths folders whose parents the process must pass through
 * @throws OperatorError if the system cannot give that right
 */
export async function runAs(
  identity: Identity | null,
  paths: string[],
  command: string,
  args: string[],
): Promise<{ command: string; args: string[]; identity?: Identity }> {
  if (identity === null) return { command, args };
  const open = await Promise.all(paths.map((folder) => othersMayEnter(path.dirname(folder))));
  if (!open.includes(false)) return { command, args, identity };
  const keep = [
    `--reuid=${identity.uid}`,
    `--regid=${identity.gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
  ];
  await run('setpriv', [...keep, 'true']).catch(() => {
    throw new OperatorError(
      `Postgres does not run as root, and its user "${USER}" cannot enter ${paths[open.indexOf(false)]}: ` +
        'run as an ordinary user, or move the project to a folder that others may enter.',
    );
  });
  return { command: 'setpriv', args: [...keep, command, ...args] };
}
