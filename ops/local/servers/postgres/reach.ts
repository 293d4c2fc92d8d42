/**
 * Lets Postgres run as another user although its files are in a folder that only root may enter, such as root's home.
 *
 * The user gets no additional rights. Root opens a folder and passes it on as a file descriptor. Linux shows it as
 * /proc/self/fd/N in every process that inherits it, and does not check the folders above such a path. Postgres insists
 * on finding its programs by their real path, so they are copied to a place that everybody may enter.
 */
import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { chmod, cp, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../../../service/operator-error.ts';
import { type Identity, othersMayReach } from './user.ts';

const run = promisify(execFile);
/** Only root can write there. */
const PROGRAMS = '/var/cache/ballot-endorsements';
/** A child's first descriptors are its standard input, output and error. */
const FIRST_FREE_DESCRIPTOR = 3;

/** Files that a child process reaches, by path or by descriptor. Close it once the child has started. */
export class Reach {
  readonly #identity: Identity | null;
  readonly #handles: Awaited<ReturnType<typeof open>>[] = [];

  constructor(identity: Identity | null) {
    this.#identity = identity;
  }

  /** The inherited descriptors, in the order of the child's numbers. */
  get descriptors(): number[] {
    return this.#handles.map(({ fd }) => fd);
  }

  /**
   * The path at which the child reaches a file or folder of its user.
   *
   * @throws OperatorError if the system has no /proc
   */
  async open(target: string): Promise<string> {
    if (this.#identity === null || (await othersMayReach(target))) return target;
    if (!existsSync('/proc/self/fd')) {
      throw new OperatorError(
        `Postgres does not run as root, and another user cannot enter ${path.dirname(target)}: run as an ordinary ` +
          'user, or move the project to a folder that others may enter.',
      );
    }
    this.#handles.push(await open(target, constants.O_RDONLY));
    return `/proc/self/fd/${FIRST_FREE_DESCRIPTOR + this.#handles.length - 1}`;
  }

  async close(): Promise<void> {
    await Promise.all(this.#handles.map((handle) => handle.close()));
  }
}

/**
 * The path of a program that the user can run: the program itself, or a copy together with its folder.
 *
 * @param program a path that ends in `native/bin/<name>`, in a package whose version identifies copies
 */
export async function reachProgram(identity: Identity | null, program: string): Promise<string> {
  if (identity === null || (await othersMayReach(program))) return program;
  const home = path.dirname(path.dirname(program));
  const manifest = await readFile(path.join(path.dirname(home), 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const copy = path.join(PROGRAMS, `postgres-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    await mkdir(PROGRAMS, { recursive: true });
    await cp(home, unfinished, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    // Another process may have finished the same copy meanwhile.
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true, force: true }));
  }
  // Root's umask may have closed the new folder and the original's files to others, also at an earlier start.
  await chmod(PROGRAMS, 0o755);
  await run('chmod', ['-R', 'a+rX', copy]);
  return path.join(copy, 'bin', path.basename(program));
}
