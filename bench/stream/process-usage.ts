import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The processor time of a process so far, in user and kernel mode, in milliseconds. Linux only. */
export function cpuMsOf(pid: number): number {
  // The name of the program, in brackets, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const [user, kernel] = [fields[11], fields[12]];
  return ((Number(user) + Number(kernel)) * 1000) / TICKS_PER_SECOND;
}

/** The ids of a process's running children. Linux only. */
export function childrenOf(pid: number): number[] {
  const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return ids.filter(Boolean).map(Number);
}

/** The processor time of a process and its running children, in milliseconds. Linux only. */
export function cpuMsOfTree(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + cpuMsOfTree(child), cpuMsOf(pid));
}

/** The resident memory of a process, in bytes. Linux only. */
export function residentBytesOf(pid: number): number {
  return readBytes(pid, 'VmRSS');
}

/** The peak resident memory of a process, in bytes. Linux only. */
export function peakBytesOf(pid: number): number {
  return readBytes(pid, 'VmHWM');
}

function readBytes(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
}
