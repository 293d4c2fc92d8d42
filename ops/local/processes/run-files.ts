/**
 * The files in DATA_DIR/run. `service.env` has the addresses of the servers for other commands. A `<name>.pid` for each
 * process lets the next start find the processes that a killed supervisor left behind.
 */
import { renameSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../../service/operator-error.ts';
import { makeFolder, nameFolder } from '../../make-folder.ts';
import { claimFile } from './claim-file.ts';
import { isProcess, readPidFile, removePidFile, stopProcess } from './pid-files.ts';

const SUPERVISOR = 'supervisor';
/** The supervisor's pid file while it stops. */
const STOPPING = 'supervisor-stopping';
const SUPERVISOR_MARKER = 'ops/local/start.ts';
const LEFTOVER_GRACE_MS = 10_000;
const POLL_MS = 100;

/** A process of a start: the name of its pid file, and a part of its command line that identifies it. */
export interface KnownProcess {
  name: string;
  marker: string;
  stopSignal: NodeJS.Signals;
}

/**
 * The main files of the programs, below the folder of the project. They identify command lines without that folder,
 * because an upgrade can be in another one.
 */
export const PROGRAMS = {
  'demo-traffic': 'ops/demo/traffic.ts',
  gateway: 'gateway/main.ts',
  consumers: 'consumers/main.ts',
} as const;

export type ProgramName = keyof typeof PROGRAMS;

/** Everything that a start runs, in the order in which it is stopped. */
export function knownProcesses(dataDir: string): KnownProcess[] {
  return [
    ...Object.entries(PROGRAMS).map(([name, marker]) => ({ name, marker, stopSignal: 'SIGTERM' as const })),
    { name: 'kafka', marker: path.join(dataDir, 'kafka', 'server.properties'), stopSignal: 'SIGTERM' },
    { name: 'postgres', marker: path.join(dataDir, 'postgres', 'data'), stopSignal: 'SIGINT' },
  ];
}

/** Whether both a shell and Node's parseEnv can read a value in quotes. */
export function isQuotable(value: string): boolean {
  return !(value.includes("'") && /["$`\\]/.test(value));
}

/** Quotes a value for both. An address that is not quotable has its apostrophes encoded. */
function quote(value: string): string {
  if (/^[\w@%+=:,./-]*$/.test(value)) return value;
  if (value.includes("'") && isQuotable(value)) return `"${value}"`;
  return `'${value.replaceAll("'", '%27')}'`;
}

/** Whether another supervisor has this id. A supervisor in a former container may have had the id of this process. */
async function isOtherSupervisor(pid: number): Promise<boolean> {
  return pid !== process.pid && (await isProcess(pid, SUPERVISOR_MARKER));
}

/** Claims the folder for one process. @throws OperatorError if another start has it */
async function claimAlone(runDir: string): Promise<void> {
  let holder: number | null;
  try {
    await makeFolder(runDir);
    holder = await claimFile(path.join(runDir, `${SUPERVISOR}.pid`), isOtherSupervisor);
  } catch (error) {
    throw nameFolder(error, `DATA_DIR is "${path.dirname(runDir)}", which`);
  }
  if (holder !== null) {
    throw new OperatorError(
      `The service already runs on ${path.dirname(runDir)} (process ${holder}): stop it, or set another DATA_DIR.`,
    );
  }
}

/** Waits until the supervisor that stops here is gone. */
async function untilStopped(
  runDir: string,
  report: (line: string) => void,
  interrupted: AbortSignal | undefined,
): Promise<void> {
  const find = () => readPidFile(runDir, STOPPING, SUPERVISOR_MARKER);
  const stopping = await find();
  if (stopping === null) return;
  report(`Waiting for the service on ${path.dirname(runDir)} (process ${stopping}), which is stopping ...`);
  while ((await find()) !== null) await sleep(POLL_MS, undefined, { signal: interrupted });
}

/** Announces to a later start that this supervisor is stopping, so that it waits. Renaming works on a full disk too. */
export function noteStopping(runDir: string): void {
  try {
    renameSync(path.join(runDir, `${SUPERVISOR}.pid`), path.join(runDir, `${STOPPING}.pid`));
  } catch {
    // The folder is not claimed yet, or is gone: a later start is refused, or starts.
  }
}

/**
 * Claims the folder for this process, and stops the processes that an earlier supervisor left running. If another
 * supervisor is stopping there, it waits for its end.
 *
 * @param known the processes, in the order in which to stop them
 * @param report shows a line
 * @param interrupted ends the wait
 * @throws OperatorError if another start is alive on the same folder, or the folder cannot be written
 */
export async function claimRunDir(
  runDir: string,
  known: KnownProcess[],
  report: (line: string) => void,
  interrupted?: AbortSignal,
): Promise<void> {
  await claimAlone(runDir);
  try {
    await untilStopped(runDir, report, interrupted);
  } catch (error) {
    await removePidFile(runDir, SUPERVISOR);
    throw error;
  }
  for (const { name, marker, stopSignal } of known) {
    const pid = await readPidFile(runDir, name, marker);
    if (pid !== null) {
      report(`Stopping ${name} (process ${pid}), which an earlier start left running.`);
      await stopProcess(pid, { marker, signal: stopSignal, graceMs: LEFTOVER_GRACE_MS });
    }
    await removePidFile(runDir, name);
  }
}

/** Writes `service.env`. Only its owner can read it, because it contains a password. */
export async function writeServiceEnv(runDir: string, values: Record<string, string>): Promise<void> {
  await mkdir(runDir, { recursive: true });
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quote(value)}\n`);
  await writeFile(path.join(runDir, 'service.env'), lines.join(''), { mode: 0o600 });
}

/** Removes the files that announce a running service. */
export async function releaseRunDir(runDir: string, known: KnownProcess[]): Promise<void> {
  await rm(path.join(runDir, 'service.env'), { force: true });
  for (const { name } of known) await removePidFile(runDir, name);
  // A waiting start already has the claim.
  if ((await readPidFile(runDir, SUPERVISOR, '')) === process.pid) await removePidFile(runDir, SUPERVISOR);
  await removePidFile(runDir, STOPPING);
}
