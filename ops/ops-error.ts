import { inspect } from 'node:util';
import { SettingError } from '../service/environment.ts';

/**
 * A failure that the person at the keyboard can do something about. Its message is shown alone, without a
 * stack trace, and says what was wrong, with which value, and what would be right.
 */
export class OpsError extends Error {
  override name = 'OpsError';
}

/**
 * The text to show for anything thrown: the message alone for an OpsError or a SettingError; the stack, with those of its causes, for
 * a defect of ours.
 *
 * @param error whatever was thrown
 */
export function describeFailure(error: unknown): string {
  if (error instanceof OpsError || error instanceof SettingError) return error.message;
  return inspect(error);
}
