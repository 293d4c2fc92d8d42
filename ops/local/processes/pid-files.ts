/**
 * Processes by the ids in files. Systems reuse ids, so an old id may belong to another program: nothing is ended before
 * its command line shows that it is the right process.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { OperatorError } from '../../../service/operator-error.ts';
import { makeFolder } from '../../make-folder.ts';

const run = promisify(execFile);
const POLL_MS = 50;

/** The command line of a live process, joined with spaces; null if no process has this id. */
async function readCommandLine(pid: number): Promise<string | null> {
  try {
    const text = existsSync('/proc/self/cmdline')
      ? (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
      : (await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout;
    // A zombie has no command line.
    return text.trim() || null;
  } catch {
    return null;
  }
}

/** Whether this id belongs to a live process whose command line contains `marker`. */
export async function isProcess(pid: number, marker: string): Promise<boolean> {
  return (await readCommandLine(pid))?.includes(marker) ?? false;
}

export interface StopOptions {
  /** A part of the right process's command line. */
  marker: string;
  signal: NodeJS.Signals;
  /** The longest orderly end before a kill, in milliseconds. */
  graceMs: number;
}

/**
 * Ends a process and waits for its end. Does nothing if the id belongs to no process, or to another one.
 *
 * @throws OperatorError if the process belongs to another user
 */
export async function stopProcess(pid: number, { marker, signal, graceMs }: StopOptions): Promise<void> {
  const deadline = Date.now() + graceMs;
  let sent: NodeJS.Signals | null = null;
  while (await isProcess(pid, marker)) {
    const due = Date.now() < deadline ? signal : 'SIGKILL';
    if (sent !== due) send(pid, due);
    sent = due;
    await sleep(POLL_MS);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPERM')
      throw new OperatorError(`Process ${pid} belongs to another user; stop it as that user.`);
    if (code !== 'ESRCH') throw error;
  }
}

/** Writes `<name>.pid` with a process's id. */
export async function writePidFile(dir: string, name: string, pid: number): Promise<void> {
  await makeFolder(dir);
  await writeFile(path.join(dir, `${name}.pid`), `${pid}\n`);
}

/** The id in `<name>.pid` if it belongs to a live process whose command line contains `marker`, or else null. */
export async function readPidFile(dir: string, name: string, marker: string): Promise<number | null> {
  const text = await readFile(path.join(dir, `${name}.pid`), 'utf8').catch(() => '');
  const pid = /^\d+\n?$/.test(text) ? Number(text) : null;
  return pid !== null && (await isProcess(pid, marker)) ? pid : null;
}

export async function removePidFile(dir: string, name: string): Promise<void> {
  await rm(path.join(dir, `${name}.pid`), { force: true });
}
