import type { Command } from 'commander';

/** The world as a command of `npm run ops` sees it, so that tests can give it another. */
export interface CommandIo {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream;
  /** Prints a line of the command's result, on standard output. */
  out(line: string): void;
  /** Prints a line for the person at the keyboard, on standard error. */
  err(line: string): void;
  /** Whether standard error is a terminal and can show a progress bar. */
  terminal: boolean;
  now(): Date;
}

/**
 * Gives a command its arguments, options, subcommands, help and actions. Each module of ops/commands exports one.
 *
 * An action that fails throws an OperatorError: its message is printed on standard error, and the exit status is 1.
 *
 * @param command has its name and its one-line description already
 */
export type DefineCommand = (command: Command, io: CommandIo) => void;
