import { Counter } from 'prom-client';
import { makeStorable } from '../../schemas/catalogue/storable.ts';
import {
  type RequestError,
  type RequestSample,
  SLOW_MS,
  type UsageBatch,
  type UsageCount,
} from '../../store/access/usage.ts';
import type { Caller } from '../http/caller.ts';

const HOUR_MS = 60 * 60_000;
/** The most counts that wait to be written. Each takes about 200 bytes. */
const MAX_COUNTS = 100_000;
/** The most errors that wait to be written: of all accounts, and of one account by kind. */
const MAX_ERRORS = 1000;
const MAX_ERRORS_OF_ACCOUNT = { refusals: 10, others: 50 };
/** The most samples of other answers that wait to be written: of all accounts, and of one account by kind. */
const MAX_SAMPLES = 1000;
const MAX_SAMPLES_OF_ACCOUNT = { slow: 20, quick: 3 };
/** The most characters of an error's message that are kept. */
const MAX_MESSAGE_LENGTH = 500;

const uncounted = new Counter({
  name: 'usage_requests_uncounted_total',
  help: 'Requests that are missing from the usage of their accounts, because too many counts waited for the database.',
});

/** The sender of a request. */
export interface RequestSender {
  accountId: number;
  /** The API key; null for a session. */
  keyId: number | null;
}

/** The sender of a caller's request. */
export const senderOf = ({ accountId, credential }: Caller): RequestSender => ({
  accountId,
  keyId: 'key' in credential ? credential.key : null,
});

/** An answered request. */
export interface AnsweredRequest extends RequestSender, Pick<UsageCount, 'route' | 'status'> {
  /** When the request was answered, in milliseconds since 1970. */
  at: number;
  /** The details of an answer of status 400 or above. */
  error?: Pick<RequestError, 'requestId' | 'method' | 'code' | 'message'>;
  /** The details of another answer; without them, it is only counted. */
  sample?: Pick<RequestSample, 'requestId' | 'method' | 'ms'>;
}

/** Shortens a message, masks misplaced API keys, and replaces characters that Postgres cannot store. */
function toStorable(message: string): string {
  const blotted = message.replaceAll(/bes_\w+/g, 'bes_…');
  return makeStorable(blotted.slice(0, MAX_MESSAGE_LENGTH));
}

/**
 * Counts requests in memory by account, key, UTC hour, route and status, and keeps some of their errors, the slow ones,
 * and a few others. Beyond a bound of memory, requests that need a new count are not counted, and none are kept.
 */
export class UsageCounter {
  readonly #counts = new Map<string, UsageCount>();
  #errors: RequestError[] = [];
  #samples: RequestSample[] = [];
  /** The number of kept errors, by account and kind. */
  readonly #kept = new Map<string, number>();
  /** The number of kept samples, by account. */
  readonly #sampled = new Map<number, { slow: number; quick: number }>();

  count(request: AnsweredRequest): void {
    const { accountId, keyId, at, route, status, error } = request;
    const hour = at - (at % HOUR_MS);
    const name = `${accountId} ${keyId} ${hour} ${status} ${route}`;
    const known = this.#counts.get(name);
    if (known) known.requests += 1;
    else if (this.#counts.size < MAX_COUNTS) {
      this.#counts.set(name, { accountId, keyId, hour, route, status, requests: 1 });
    } else uncounted.inc();
    if (!error) this.#keepSample(request);
    if (!error || this.#errors.length >= MAX_ERRORS) return;
    const kind = status === 429 ? 'refusals' : 'others';
    const account = `${accountId} ${kind}`;
    const kept = this.#kept.get(account) ?? 0;
    if (kept >= MAX_ERRORS_OF_ACCOUNT[kind]) return;
    this.#kept.set(account, kept + 1);
    const { requestId, method, code } = error;
    const message = toStorable(error.message);
    this.#errors.push({ accountId, keyId, at, route, status, requestId, method, code, message });
  }

  #keepSample({ sample, accountId, keyId, at, route, status }: AnsweredRequest): void {
    if (!sample || this.#samples.length >= MAX_SAMPLES) return;
    const kind = sample.ms >= SLOW_MS ? 'slow' : 'quick';
    const kept = this.#sampled.get(accountId) ?? { slow: 0, quick: 0 };
    if (kept[kind] >= MAX_SAMPLES_OF_ACCOUNT[kind]) return;
    kept[kind] += 1;
    this.#sampled.set(accountId, kept);
    this.#samples.push({ accountId, keyId, at, route, status, ...sample });
  }

  /**
   * Removes the oldest counts, and all errors and samples.
   *
   * @param maxCounts the most counts to remove
   * @returns what was removed; null if nothing is counted
   */
  take(maxCounts: number): UsageBatch | null {
    if (this.#counts.size === 0) return null;
    const counts: UsageCount[] = [];
    for (const [name, count] of this.#counts) {
      if (counts.length >= maxCounts) break;
      counts.push(count);
      this.#counts.delete(name);
    }
    const [errors, samples] = [this.#errors, this.#samples];
    [this.#errors, this.#samples] = [[], []];
    this.#kept.clear();
    this.#sampled.clear();
    return { counts, errors, samples };
  }
}
