import type { Command } from 'commander';
import { OperatorError } from '../service/operator-error.ts';

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
  /** Whether standard output is a terminal and can show colours and be redrawn. */
  outTerminal: boolean;
  now(): Date;
  /**
   * Calls `listener` when the operator presses Ctrl-C, instead of ending the program.
   *
   * @returns a function that ends this again
   */
  onInterrupt(listener: () => void): () => void;
}

/**
 * Work is left to be done: the time was up, the operator pressed Ctrl-C, or a plan found changes to make. The exit status
 * is 2.
 */
export class UnfinishedError extends OperatorError {
  override name = 'UnfinishedError';
}

/**
 * Gives a command its arguments, options, subcommands, help and actions. Each module of ops/commands exports one.
 *
 * An action that fails throws an OperatorError: its message is printed on standard error, and the exit status is 1, or 2
 * for an UnfinishedError.
 *
 * @param command has its name and its one-line description already
 */
export type DefineCommand = (command: Command, io: CommandIo) => void;
