import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { SUPERVISED } from '../../../service/program.ts';
import type { SupervisedProcess } from '../../../service/supervise.ts';
import { childExit } from './daemon.ts';
import { LogFile } from './log-file.ts';
import { createRepeatFilter, renderLogLine } from './log-view.ts';
import { stopProcess } from './pid-files.ts';

export interface NodeProcess extends SupervisedProcess {
  pid: number;
}

export interface NodeProcessOptions {
  name: string;
  /** The absolute path of its main file, which identifies its command line. */
  entry: string;
  env: NodeJS.ProcessEnv;
  logDir: string;
  /** The longest orderly end, in milliseconds. */
  graceMs: number;
  /** Shows a line on the terminal. */
  report(line: string): void;
}

/**
 * Starts a program of the service under this Node, in its own process group, so that Ctrl-C reaches only the
 * supervisor. Its output goes to `<logDir>/<name>.log`, and its warnings to `report` too.
 */
export function startNodeProcess(options: NodeProcessOptions): NodeProcess {
  const { name, entry, report } = options;
  const child = spawn(process.execPath, [entry, SUPERVISED], {
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const isNew = createRepeatFilter();
  const show = (line: string) => {
    if (isNew(line)) report(line);
  };
  const file = path.join(options.logDir, `${name}.log`);
  const log = new LogFile(file, ({ message }) => show(`${file} cannot be written (${message}).`));
  const output = [child.stdout, child.stderr].map((input) => {
    const lines = createInterface({ input });
    lines.on('line', (line) => {
      log.write(line);
      const shown = renderLogLine(name, line);
      if (shown !== null) show(shown);
    });
    return new Promise((resolve) => lines.once('close', resolve));
  });
  const exited = childExit(child);
  void Promise.all([exited, ...output]).then(() => log.end());
  const { pid } = child;
  // Node itself is the program, so the system lacks memory or process ids.
  if (pid === undefined) throw new Error(`${name} could not be started`);
  return {
    pid,
    exited,
    async stop() {
      await stopProcess(pid, { marker: entry, signal: 'SIGTERM', graceMs: options.graceMs });
      await exited;
    },
  };
}
