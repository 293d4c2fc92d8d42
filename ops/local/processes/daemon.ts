import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { LocalServer } from '../servers/server.ts';
import { stopProcess } from './pid-files.ts';

export interface DaemonOptions {
  command: string;
  args: string[];
  /** The user to run as, where that is not ours. */
  identity?: { uid: number; gid: number };
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** The file that its output is added to. */
  logFile: string;
  /** What the command line holds that tells this process from any other. */
  marker: string;
  stopSignal: NodeJS.Signals;
  graceMs: number;
}

/** How a child ended, in words: `exit code 1`, `SIGKILL`. */
function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal ?? `exit code ${code}`;
}

/** Settles with how the child ended, also where it never began. */
export function childExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(describeExit(code, signal)));
  });
}

/**
 * Starts a server as a process of its own. It leads its own process group, so that the terminal's Ctrl-C reaches
 * the supervisor alone and servers are stopped in order; and it writes its log itself, so that it outlives a
 * supervisor that was killed, and can be found and stopped by the next one.
 *
 * @throws Error where the program cannot be started at all
 */
export async function startDaemon(options: DaemonOptions): Promise<LocalServer & { pid: number }> {
  const log = openSync(options.logFile, 'a', 0o600);
  const child = spawn(options.command, options.args, {
    ...options.identity,
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', log, log],
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
      await stopProcess(pid, {
        marker: options.marker,
        signal: options.stopSignal,
        graceMs: options.graceMs,
      });
      await exited;
    },
  };
}
