/** Rights on Kafka, in the words of its ACLs. */
import { walkErrors } from '../../service/walk-errors.ts';

export type Operation =
  | 'Alter'
  | 'AlterConfigs'
  | 'Create'
  | 'Describe'
  | 'DescribeConfigs'
  | 'Read'
  | 'Write';

/** The right to do something to a topic or a consumer group. */
export interface Right {
  operation: Operation;
  resource: 'topic' | 'group';
  /** The name of the topic or group. */
  name: string;
}

/** Kafka refuses an action because this right is missing. */
export class MissingRightError extends Error {
  override name = 'MissingRightError';
  readonly right: Right;

  constructor(right: Right, cause: unknown) {
    super(`The right ${formatRight(right)} is missing.`, { cause });
    this.right = right;
  }
}

/** For instance `Read on the topic "endorsement-changes"`. */
export function formatRight({ operation, resource, name }: Right): string {
  return `${operation} on the ${resource} "${name}"`;
}

/** The brokers' errors for a missing right, as both clients name them. */
const AUTHORIZATION_FAILED = /^(TOPIC|GROUP|CLUSTER|TRANSACTIONAL_ID)_AUTHORIZATION_FAILED$/;

/** Whether a broker's error means a missing right. */
export function isAuthorizationError(type: unknown): boolean {
  return typeof type === 'string' && AUTHORIZATION_FAILED.test(type);
}

/** Whether an error, or one within it, means a missing right. */
export function isMissingRight(error: unknown): boolean {
  return [...errorsWithin(error)].some(
    (each) => each.error instanceof MissingRightError || isAuthorizationError(each.type),
  );
}

/** Whether an error, or one within it, means that the topic does not exist. */
export function isUnknownTopic(error: unknown): boolean {
  return [...errorsWithin(error)].some(({ type }) => type === 'UNKNOWN_TOPIC_OR_PARTITION');
}

/**
 * Runs an action that needs a right.
 *
 * @throws MissingRightError if Kafka reports the right as missing, and the error of `action` otherwise
 */
export async function withRight<T>(right: Right, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    for (const { type } of errorsWithin(error)) {
      if (isAuthorizationError(type)) throw new MissingRightError(right, error);
    }
    throw error;
  }
}

/** An error of a client of Kafka. */
export interface ClientError {
  name: string;
  /** The client's or Node's code. */
  code: string;
  /** The broker's error, such as TOPIC_AUTHORIZATION_FAILED. */
  type: string;
  message: string;
  error: object;
}

/** The client's view of an error, its causes, and the errors that it holds, each once. */
export function* errorsWithin(error: unknown): Generator<ClientError> {
  for (const each of walkErrors(error)) {
    const { name, code, type, apiId, message } = each as Record<string, unknown>;
    yield {
      name: String(name ?? ''),
      code: String(code ?? ''),
      type: String(type ?? apiId ?? ''),
      message: String(message ?? ''),
      error: each,
    };
  }
}
