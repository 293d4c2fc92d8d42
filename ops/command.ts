/** What a command of `npm run ops` has of the world, so that tests can give it another. */
export interface CommandIo {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream;
  /** Prints a line of the command's result, on standard output. */
  out(line: string): void;
  /** Prints a line for the person at the keyboard, on standard error. */
  err(line: string): void;
  /** Whether standard error is a terminal, where a progress bar makes sense. */
  terminal: boolean;
}

/**
 * A command: a module's exported `run`. It gets the arguments after the command's own name and gives the exit
 * status. A failure that the caller can mend is thrown as an OperatorError, whose message is printed alone.
 */
export type RunCommand = (args: string[], io: CommandIo) => Promise<number>;
