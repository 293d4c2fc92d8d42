import { inspect } from 'node:util';
import { showControls } from '../schemas/show-controls.ts';

/**
 * A failure that the operator can fix: a wrong setting, an unavailable server, a wrong argument. The message
 * gives the fault, the value and the next step. It is shown alone, without a stack trace.
 */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/**
 * The text to show for a failure: an OperatorError's message, or, for a defect, the stack with those of its
 * causes. Control characters are written out, because a message can quote any text.
 *
 * @param error any thrown value
 */
export function describeFailure(error: unknown): string {
  const text = error instanceof OperatorError ? error.message : inspect(error);
  return text.split('\n').map(showControls).join('\n');
}
