import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { CommandIo } from '../../../ops/command.ts';
import { runProgram } from '../../../ops/program.ts';

export interface RecordedIo extends CommandIo {
  /** The lines on standard output. */
  printed: string[];
  /** The lines on standard error. */
  told: string[];
  /** Presses Ctrl-C. @returns whether the command listens; otherwise it would end at once */
  interrupt(): boolean;
}

/** The environment of a command in a test. It keeps the lines that the command prints. */
export function createIo(
  env: Record<string, string>,
  { stdin = '', now = new Date() }: { stdin?: string; now?: Date } = {},
): RecordedIo {
  const printed: string[] = [];
  const told: string[] = [];
  const interrupts = new EventEmitter();
  return {
    env: { DATA_DIR: '/nowhere', ...env },
    stdin: Readable.from([stdin]),
    out: (line) => void printed.push(line),
    err: (line) => void told.push(line),
    terminal: false,
    outTerminal: false,
    now: () => now,
    onInterrupt(listener) {
      interrupts.on('interrupt', listener);
      return () => interrupts.off('interrupt', listener);
    },
    printed,
    told,
    interrupt: () => interrupts.emit('interrupt'),
  };
}

/**
 * Runs `npm run ops -- NAME ...` in this process.
 *
 * @returns the exit status
 * @throws OperatorError if the command fails
 */
export type RunCommand = (args: string[], io: CommandIo) => Promise<number>;

export function createRunner(name: string): RunCommand {
  return (args, io) => runProgram([name, ...args], io);
}

/** Runs a command as a shell would see it: a failure is a line on standard error and the exit status 1. */
export async function runToExit(run: RunCommand, args: string[], io: CommandIo): Promise<number> {
  try {
    return await run(args, io);
  } catch (error) {
    io.err((error as Error).message);
    return 1;
  }
}
