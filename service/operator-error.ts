import { inspect } from 'node:util';

/**
 * A failure that the operator can do something about: a wrong setting, a server that is away, a wrong argument. The
 * message says what was wrong, with which value, and what to do next. It is shown alone, without a stack trace.
 */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/**
 * The text to show for a failure: the message of an OperatorError, and for anything else, which is a defect, the stack
 * with those of its causes.
 *
 * @param error whatever was thrown
 */
export function describeFailure(error: unknown): string {
  return error instanceof OperatorError ? error.message : inspect(error);
}
