import { ApiError, NetworkError, TimeoutError, UnexpectedAnswerError } from '../errors.ts';
import type { Retry } from '../options.ts';
import { sleep } from './sleep.ts';

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 30_000;
/** A call does not wait longer than this for a limit to pass: its caller decides. */
const MAX_CALL_WAIT_MS = 60_000;
/** Statuses that pass: limits, a service that starts or is busy, and a proxy that finds no gateway. */
const PASSING = [408, 425, 429, 502, 503, 504];

/** Whether the same request may succeed later. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return PASSING.includes(error.status);
  return error instanceof NetworkError || error instanceof TimeoutError;
}

/** Whether a read that goes on for months ends with this error. A defect of the service does not last. */
function isLasting(error: unknown): boolean {
  if (error instanceof ApiError) return !isPassing(error) && error.status < 500;
  return !isPassing(error) && !(error instanceof UnexpectedAnswerError);
}

/**
 * How long to wait before the next attempt, in milliseconds: twice as long after each failure, with up to half of it at
 * random, so that clients do not return together. It is never shorter than what the service asked for.
 */
function backOff(error: unknown, failures: number, firstMs: number): number {
  const patientMs = Math.min(MAX_WAIT_MS, firstMs * 2 ** Math.min(failures, 20));
  const asked = error instanceof ApiError ? error.retryAfterMs : null;
  if (asked !== null) return asked + (Math.random() * Math.min(patientMs, 1000)) / 2;
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
 * @param attempt gets the number of attempts before it
 * @throws the error of the last attempt: one that does not pass, or that remained after all retries
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

export interface PatienceOptions extends Omit<RetryOptions, 'maxRetries'> {
  /** The wait between two connections until the service asks for another, in milliseconds. */
  retryMs: number;
  /** How many failures in a row it bears; without end by default. */
  maxRetries?: number;
}

/** Waits between the connections of a read that goes on through failures. */
export class Patience {
  /** The wait that the service asks for between two connections, in milliseconds. */
  retryMs: number;
  readonly #options: PatienceOptions;
  #failures = 0;
  /** Whether the service has answered as it should: an answer that is not the service's will then pass. */
  #isRecognized = false;

  constructor(options: PatienceOptions) {
    this.#options = options;
    this.retryMs = options.retryMs;
  }

  /** Notes that the read goes on. */
  succeed(): void {
    this.#failures = 0;
    this.#isRecognized = true;
  }

  /** Notes that the service answers, although the read has not gone on. */
  recognize(): void {
    this.#isRecognized = true;
  }

  /** Waits before the next connection, after one that ended in order. */
  async pause(ms = this.retryMs): Promise<void> {
    await sleep(ms, this.#options.signal);
  }

  /**
   * Waits before the next connection, after one that failed.
   *
   * @throws the error if it would come again, or has come too often
   */
  async bear(error: unknown): Promise<void> {
    const { path, signal, onRetry, maxRetries = Number.POSITIVE_INFINITY } = this.#options;
    const isWrongAddress = error instanceof UnexpectedAnswerError && !this.#isRecognized;
    if (isWrongAddress || isLasting(error) || this.#failures >= maxRetries) throw error;
    const waitMs = backOff(error, this.#failures, this.retryMs);
    if (Number.isFinite(maxRetries) && waitMs > MAX_CALL_WAIT_MS) throw error;
    this.#failures += 1;
    onRetry({ error, path, failures: this.#failures, waitMs });
    await sleep(waitMs, signal);
  }
}
