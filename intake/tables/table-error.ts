/** A table, or an option about it, that cannot be used. The message is a sentence for the person who has the file. */
export class TableError extends Error {
  override name = 'TableError';
  /** The message without the options of the command that would help. */
  readonly problem: string;

  constructor(message: string, { problem = message, ...options }: ErrorOptions & { problem?: string } = {}) {
    super(message, options);
    this.problem = problem;
  }
}
