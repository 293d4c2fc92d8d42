import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { INHERITED_ENV } from './inherited-env.ts';

export interface ServiceProcess {
  pid: number;
  /** Its output so far. */
  output(): string;
  /** Null while it runs. */
  exitCode(): number | null;
  /** Whether a signal has ended it. */
  killed(): boolean;
  /** Kills it, with SIGKILL by default, and waits until it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program of the service, such as `consumers/main.ts`, in its own process. */
export function startProcess(
  program: string,
  env: Record<string, string>,
  args: string[] = [],
): ServiceProcess {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    env: { ...INHERITED_ENV, METRICS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    text += bytes;
  });
  child.stderr?.on('data', (bytes: Buffer) => {
    text += bytes;
  });
  if (child.pid === undefined) throw new Error(`${program} could not be started.`);
  return {
    pid: child.pid,
    output: () => text,
    exitCode: () => child.exitCode,
    killed: () => child.signalCode !== null,
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}
