import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { LocalServer } from '../servers/server.ts';
import { type StopOptions, stopProcess } from './pid-files.ts';

export interface DaemonOptions {
  command: string;
  args: string[];
  /** The user to run as, if it differs. */
  identity?: { uid: number; gid: number };
  cwd?: string;
  /** Open files to inherit, from descriptor 3 on. */
  descriptors?: number[];
  env?: NodeJS.ProcessEnv;
  /** The output is appended to this file. */
  logFile: string;
  stop: StopOptions;
}

/** Settles with a description of the child's end, such as `exit code 1` or `SIGKILL`, even if the child never began. */
export function childExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}

/**
 * Starts a server as a process of its own. It leads its own process group, so that the terminal's Ctrl-C reaches only
 * the supervisor, which stops the servers in order. It writes its log itself and so outlives a killed supervisor; the
 * next supervisor finds and stops it.
 *
 * @throws Error if the program cannot be started
 */
export async function startDaemon(options: DaemonOptions): Promise<LocalServer & { pid: number }> {
  const log = openSync(options.logFile, 'a', 0o600);
  const child = spawn(options.command, options.args, {
    ...options.identity,
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', log, log, ...(options.descriptors ?? [])],
    detached: true,
  });
  closeSync(log);
  const exited = childExit(child);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${options.command} could not be started: ${await exited}`);
  return {
    pid,
    exited,
    async stop() {
      await stopProcess(pid, options.stop);
      await exited;
    },
  };
}
