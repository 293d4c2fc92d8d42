import { type Finding, failed, ok } from '../../administration/health/finding.ts';
import { isMissingRight } from '../../kafka/connection/rights.ts';
import type { Role } from '../../kafka/connection/role-rights.ts';
import { withDeadline } from '../../service/deadline.ts';
import { describeMissingTopic, findMissingTopic } from '../../service/missing-topic.ts';
import { OperatorError } from '../../service/operator-error.ts';

/** The longest duration of a check, in milliseconds. */
const CHECK_MS = 10_000;

/** A check that ended without an answer. */
export class NoAnswerError extends OperatorError {
  override name = 'NoAnswerError';
}

/** @throws NoAnswerError if there is no answer in time */
export function inTime<T>(work: Promise<T>, server: string, ms = CHECK_MS): Promise<T> {
  const seconds = Math.round(ms / 1000);
  return withDeadline(
    work,
    ms,
    () =>
      new NoAnswerError(`${server} gave no answer within ${seconds} s: check the server and the way to it.`),
  );
}

/** Runs a check. An error becomes a finding, so that other checks continue. */
export async function examine(subject: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [failed(subject, describeError(error))];
  }
}

/**
 * Runs a check that needs rights of the role `ops`. With the settings of other roles it is left out.
 *
 * @param roles the roles with whose settings the command runs
 */
export function examineAs(
  roles: readonly Role[],
  subject: string,
  check: () => Promise<Finding[]>,
): Promise<Finding[]> {
  return examine(subject, async () => {
    try {
      return await check();
    } catch (error) {
      if (roles.includes('ops') || !isMissingRight(error)) throw error;
      return [ok(subject, 'Not checked, because it needs the rights of the role ops.')];
    }
  });
}

/** The error in one line. */
export function describeError(error: unknown): string {
  const { message } = error as Error;
  if (error instanceof OperatorError) return message;
  const topic = findMissingTopic(error);
  if (topic !== null) return `${describeMissingTopic(topic)}.`;
  return `The check itself fails: ${message || String(error)}`;
}
