import { ApiError, NetworkError, TimeoutError, UnexpectedAnswerError } from '../errors.ts';
import type { Retry } from '../options.ts';
import type { Connection } from './connection.ts';
import { sleep } from './sleep.ts';

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 30_000;
/** The wait between connections that bring nothing new, which doubles each time. */
const IDLE_WAIT_MS = 1000;
/** A call never waits longer than this for a limit; its caller decides. */
const MAX_CALL_WAIT_MS = 60_000;
/** Temporary statuses: limits, a service that starts or is busy, and a proxy without a gateway. */
const PASSING = [408, 425, 429, 502, 503, 504];

/** Whether the same request may succeed later. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return PASSING.includes(error.status);
  return error instanceof NetworkError || error instanceof TimeoutError;
}

/** Whether this error ends a read that runs for months. A defect of the service will be fixed. */
function isLasting(error: unknown): boolean {
  if (error instanceof ApiError) return !isPassing(error) && error.status < 500;
  return !isPassing(error) && !(error instanceof UnexpectedAnswerError);
}

/**
 * The wait before the next attempt, in milliseconds. It doubles after each failure, plus up to half of it at random, so
 * that clients do not return together. It begins with the wait that the service asked for, and is never shorter.
 */
function backOff(error: unknown, failures: number, firstMs: number): number {
  const askedMs = (error instanceof ApiError ? error.retryAfterMs : null) ?? 0;
  const patientMs = Math.min(MAX_WAIT_MS, Math.max(firstMs, askedMs) * 2 ** Math.min(failures, 20));
  if (askedMs > 0) {
    const leastMs = Math.max(askedMs, patientMs);
    const waitMs = leastMs + (Math.random() * Math.min(patientMs, 1000)) / 2;
    // A limit of a minute asks for up to a minute, which chance must not make too long for a call.
    return leastMs <= MAX_CALL_WAIT_MS ? Math.min(waitMs, MAX_CALL_WAIT_MS) : waitMs;
  }
  return patientMs * (1 - Math.random() / 2);
}

export interface RetryOptions {
  path: string;
  maxRetries: number;
  signal?: AbortSignal | undefined;
  onRetry: (retry: Retry) => void;
}

/**
 * Makes attempts until one succeeds.
 *
 * @param attempt gets the number of earlier attempts
 * @throws the error of the last attempt, if it is permanent or all retries failed
 */
export async function retry<Value>(
  attempt: (failures: number) => Promise<Value>,
  { path, maxRetries, signal, onRetry }: RetryOptions,
): Promise<Value> {
  for (let failures = 0; ; ) {
    try {
      return await attempt(failures);
    } catch (error) {
      const waitMs = backOff(error, failures, FIRST_WAIT_MS);
      if (failures >= maxRetries || !isPassing(error) || waitMs > MAX_CALL_WAIT_MS) throw error;
      failures += 1;
      onRetry({ error, path, failures, waitMs });
      await sleep(waitMs, signal);
    }
  }
}

export interface PatienceOptions extends Pick<RetryOptions, 'path' | 'signal'> {
  connection: Pick<Connection, 'onRetry' | 'mayRenewKey' | 'isRecognized'>;
  /** The wait between two connections until the service names another one, in milliseconds. */
  retryMs: number;
  /** The number of failures in a row after which it gives up; by default it never does. */
  maxRetries?: number;
}

/** Waits between the connections of a read that survives failures. */
export class Patience {
  /** The service's wait between two connections, in milliseconds. */
  retryMs: number;
  readonly #options: PatienceOptions;
  #failures = 0;
  /** The number of waits in a row since something new came. */
  #idleWaits = 0;

  constructor(options: PatienceOptions) {
    this.#options = options;
    this.retryMs = options.retryMs;
  }

  /** Notes progress of the read. */
  succeed(): void {
    this.#failures = 0;
    this.#idleWaits = 0;
    this.recognize();
  }

  /** Notes an answer of the service, although the read made no progress. */
  recognize(): void {
    this.#options.connection.isRecognized = true;
  }

  /** Waits before the next connection after an orderly end. */
  async pause(ms = this.retryMs): Promise<void> {
    await sleep(Math.max(ms, this.#idleMs()), this.#options.signal);
  }

  /**
   * The least wait, in milliseconds. It keeps a service that asks for no wait, or a cache that repeats an answer, from
   * being asked without end. The first wait after progress has none.
   */
  #idleMs(): number {
    const ms = this.#idleWaits === 0 ? 0 : IDLE_WAIT_MS * 2 ** Math.min(this.#idleWaits - 1, 20);
    this.#idleWaits += 1;
    return Math.min(MAX_WAIT_MS, ms);
  }

  /**
   * Waits before the next connection after a failure.
   *
   * @throws the error if it is permanent, or has come too often
   */
  async bear(error: unknown): Promise<void> {
    const { connection, path, signal, maxRetries = Number.POSITIVE_INFINITY } = this.#options;
    const { onRetry, mayRenewKey, isRecognized } = connection;
    const isWrongAddress = error instanceof UnexpectedAnswerError && !isRecognized;
    // A read can outlast its key, which is then refused in the middle.
    const isRefusedKey = error instanceof ApiError && error.status === 401;
    const isOldKey = isRefusedKey && mayRenewKey && isRecognized && this.#failures === 0;
    if (isWrongAddress || (isLasting(error) && !isOldKey) || this.#failures >= maxRetries) throw error;
    const waitMs = Math.max(backOff(error, this.#failures, this.retryMs), this.#idleMs());
    if (Number.isFinite(maxRetries) && waitMs > MAX_CALL_WAIT_MS) throw error;
    this.#failures += 1;
    onRetry({ error, path, failures: this.#failures, waitMs });
    await sleep(waitMs, signal);
  }
}
