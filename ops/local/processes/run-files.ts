/**
 * DATA_DIR/run: what runs here. `service.env` tells other commands where the servers are; a `<name>.pid` for each
 * process tells the next start what a supervisor that was killed has left behind.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../../../service/operator-error.ts';
import { nameFolder } from '../../make-folder.ts';
import { readPidFile, removePidFile, stopProcess, writePidFile } from './pid-files.ts';

const SUPERVISOR = 'supervisor';
const SUPERVISOR_MARKER = 'ops/local/start.ts';
const LEFTOVER_GRACE_MS = 10_000;

/** A process that a start runs: the name of its pid file, and what tells its command line from any other. */
export interface KnownProcess {
  name: string;
  marker: string;
  stopSignal: NodeJS.Signals;
}

/** A value as a shell and Node's own reader of such files both take it. */
function quote(value: string): string {
  if (/^[\w@%+=:,./-]*$/.test(value)) return value;
  return `'${value.replaceAll("'", '%27')}'`;
}

/**
 * Takes the folder for this process, and stops what an earlier supervisor has left running there.
 *
 * @param known in the order in which to stop them
 * @param report shows a line
 * @throws OperatorError where another start is alive on the same folder, or nothing can be written there
 */
export async function claimRunDir(
  runDir: string,
  known: KnownProcess[],
  report: (line: string) => void,
): Promise<void> {
  const supervisor = await readPidFile(runDir, SUPERVISOR, SUPERVISOR_MARKER);
  if (supervisor !== null && supervisor !== process.pid) {
    throw new OperatorError(
      `The service runs on ${path.dirname(runDir)} already (process ${supervisor}): stop it, or give another DATA_DIR.`,
    );
  }
  try {
    await writePidFile(runDir, SUPERVISOR, process.pid);
  } catch (error) {
    throw nameFolder(error, `DATA_DIR is "${path.dirname(runDir)}", which`);
  }
  for (const { name, marker, stopSignal } of known) {
    const pid = await readPidFile(runDir, name, marker);
    if (pid !== null) {
      report(`Stopping ${name} (process ${pid}), which an earlier start has left running.`);
      await stopProcess(pid, { marker, signal: stopSignal, graceMs: LEFTOVER_GRACE_MS });
    }
    await removePidFile(runDir, name);
  }
}

/** Writes `service.env`, readable by its owner alone, since a password is in it. */
export async function writeServiceEnv(runDir: string, values: Record<string, string>): Promise<void> {
  await mkdir(runDir, { recursive: true });
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quote(value)}\n`);
  await writeFile(path.join(runDir, 'service.env'), lines.join(''), { mode: 0o600 });
}

/** Removes everything that says something runs here. */
export async function releaseRunDir(runDir: string, known: KnownProcess[]): Promise<void> {
  await rm(path.join(runDir, 'service.env'), { force: true });
  for (const { name } of known) await removePidFile(runDir, name);
  await removePidFile(runDir, SUPERVISOR);
}
