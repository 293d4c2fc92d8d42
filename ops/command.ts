import type { Command } from 'commander';
import { OperatorError } from '../service/operator-error.ts';

/** The environment of a command of `npm run ops`, which tests can replace. */
export interface CommandIo {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream;
  /** Prints a line of the result on standard output. */
  out(line: string): void;
  /** Prints a line for the operator on standard error. */
  err(line: string): void;
  /** Whether standard error is a terminal, for a progress bar. */
  terminal: boolean;
  /** Whether standard output is a terminal, for colours and redrawing. */
  outTerminal: boolean;
  now(): Date;
  /**
   * Calls `listener` when the operator presses Ctrl-C, instead of ending the program.
   *
   * @returns a function that restores the default
   */
  onInterrupt(listener: () => void): () => void;
}

/**
 * Unfinished work: the time was up, the operator pressed Ctrl-C, or a plan found changes to make. The exit status is 2.
 */
export class UnfinishedError extends OperatorError {
  override name = 'UnfinishedError';
}

/**
 * Gives a command its arguments, options, subcommands, help and actions. Each module of ops/commands exports one.
 *
 * A failing action throws an OperatorError. Its message is printed on standard error, and the exit status is 1, or 2
 * for an UnfinishedError.
 *
 * @param command already has its name and its one-line description
 */
export type DefineCommand = (command: Command, io: CommandIo) => void;
