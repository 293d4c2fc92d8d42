import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaUnavailableError } from '../../service/failure.ts';
import { errorsWithin } from './rights.ts';

const MAX_ATTEMPTS = 6;
/** The pause before the second attempt, in milliseconds. Later pauses are longer. */
const RETRY_MS = 100;

/** Kafka's error for a topic or one of its partitions. */
export class TopicError extends KafkaUnavailableError {
  readonly canRetry: boolean;

  constructor(message: string, canRetry: boolean) {
    super(message);
    this.canRetry = canRetry;
  }
}

/**
 * Retries an action while its error allows it: a leader moves, too few replicas are in sync, or a connection
 * is lost.
 *
 * @param prepare is called before each retry
 * @param retryMs no attempt begins later than this after the first, in milliseconds
 * @throws the last error
 */
export async function withRetries<T>(
  action: () => Promise<T>,
  prepare: () => void,
  retryMs = Number.POSITIVE_INFINITY,
): Promise<T> {
  const lastAt = performance.now() + retryMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      const isLast = attempt === MAX_ATTEMPTS || performance.now() + RETRY_MS * attempt > lastAt;
      if (isLast || !mayPass(error)) throw error;
      prepare();
      await sleep(RETRY_MS * attempt);
    }
  }
}

function mayPass(error: unknown): boolean {
  return [...errorsWithin(error)].some((each) => 'canRetry' in each.error && each.error.canRetry === true);
}
