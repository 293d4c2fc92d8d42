import { type Clock, timeSince } from '../../service/clock.ts';
import { classifyFailure } from '../../service/failure.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { reportFailure } from '../../service/report-failure.ts';
import type { StoredKey } from '../../store/access/api-keys.ts';
import {
  forgetQuotas,
  leaseRequests,
  type QuotaKind,
  type QuotaLease,
} from '../../store/access/request-quotas.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { ApiError } from '../http/api-error.ts';
import { formatLimitHeaders, type LimitState, toSeconds } from './headers.ts';
import { LeasedWindow } from './leased-window.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The pause after a failure before the database is asked again, in milliseconds. */
const RETRY_MS = 1000;
/** How often past windows are deleted, in milliseconds. */
const TIDY_MS = 10 * MINUTE_MS;

/** The request limits of a key's plan. */
type Limits = Pick<StoredKey, 'accountId' | 'requestsPerMinute' | 'requestsPerDay'>;

/** The decision about a request. */
interface Admission {
  /** The rate limit headers of the answer. */
  headers: Record<string, string>;
  /** The error of a refused request, or null. */
  refusal: ApiError | null;
  /** Counts the request no longer, and returns the headers without it. */
  giveBack: () => Record<string, string>;
}

/** An account's windows on this gateway. */
type Windows = Readonly<Record<QuotaKind, LeasedWindow>>;

/** The error code and the period of each limit. */
const REFUSALS = {
  day: ['daily_limit_exceeded', 'day (UTC)'],
  minute: ['rate_limit_exceeded', 'minute'],
} as const;

function refuse(kind: QuotaKind, limit: number, resetMs: number): ApiError {
  const seconds = toSeconds(resetMs);
  const [code, period] = REFUSALS[kind];
  const message = `The account's plan allows ${limit} requests a ${period}. Ask again in ${seconds} s.`;
  return new ApiError(code, message, { 'Retry-After': String(seconds) });
}

/**
 * Applies the request limits of an account's plan in a minute and in a day, over all gateways together. The
 * database keeps the count, and each gateway takes small leases from it (see domain/lease-size.ts).
 */
export class RequestLimiter {
  readonly #pool: DatabasePool;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By account: every account that has sent a request since this gateway started. */
  readonly #windows = new Map<number, Windows>();
  #tidying: Stoppable | undefined;
  /** When the database last failed to answer. */
  #awayAt = Number.NEGATIVE_INFINITY;

  constructor(pool: DatabasePool, clock: Clock, log: Logger) {
    this.#pool = pool;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    this.#tidying = repeat(TIDY_MS, this.#clock, () => this.#tidy());
  }

  async stop(): Promise<void> {
    await this.#tidying?.stop();
  }

  /** Counts a request against the limits of its account. Refused requests are not counted. */
  async admit(limits: Limits): Promise<Admission> {
    const windows = this.#windowsOf(limits.accountId);
    const { requestsPerDay, requestsPerMinute } = limits;
    const limited: [QuotaKind, LeasedWindow, number][] = [];
    // The day comes first: when it is used up, waiting for the next minute does not help.
    if (requestsPerDay !== null) limited.push(['day', windows.day, requestsPerDay]);
    if (requestsPerMinute !== null) limited.push(['minute', windows.minute, requestsPerMinute]);
    while (limited.some(([, window]) => !window.holds)) {
      const spent = limited.find(([, window, limit]) => window.isSpent(limit));
      if (spent) {
        const [kind, window, limit] = spent;
        const headers = this.describe(limits);
        return { headers, refusal: refuse(kind, limit, window.resetMs), giveBack: () => headers };
      }
      const empty = limited.filter(([, window]) => !window.holds);
      await Promise.all(empty.map(([, window, limit]) => window.refill(limit)));
    }
    const returns = limited.map(([, window, limit]) => window.take(limit));
    const giveBack = () => {
      for (const giveOneBack of returns) giveOneBack();
      return this.describe(limits);
    };
    return { headers: this.describe(limits), refusal: null, giveBack };
  }

  /** The rate limit headers of an account, as far as this gateway knows. Counts nothing. */
  describe({ accountId, requestsPerMinute, requestsPerDay }: Limits): Record<string, string> {
    const windows = this.#windowsOf(accountId);
    const state = (kind: QuotaKind, limit: number | null): LimitState | null =>
      limit === null
        ? null
        : { limit, remaining: windows[kind].remaining(limit), resetMs: windows[kind].resetMs };
    return formatLimitHeaders({
      minute: state('minute', requestsPerMinute),
      day: state('day', requestsPerDay),
    });
  }

  #windowsOf(accountId: number): Windows {
    const known = this.#windows.get(accountId);
    if (known) return known;
    const create = (kind: QuotaKind, lengthMs: number) =>
      new LeasedWindow({
        lengthMs,
        clock: this.#clock,
        lease: (request) => this.#lease({ accountId, kind, ...request }),
      });
    const windows = { minute: create('minute', MINUTE_MS), day: create('day', DAY_MS) };
    this.#windows.set(accountId, windows);
    return windows;
  }

  /** @throws the error if it is a defect. */
  async #lease(request: Parameters<typeof leaseRequests>[1]): Promise<QuotaLease | null> {
    if (timeSince(this.#clock, this.#awayAt) < RETRY_MS) return null;
    try {
      return await leaseRequests(this.#pool, request);
    } catch (error) {
      if (classifyFailure(error) === 'defect') throw error;
      this.#awayAt = this.#clock.now();
      this.#log.warn({ error }, 'request limits cannot be leased; counting alone');
      return null;
    }
  }

  async #tidy(): Promise<void> {
    const now = this.#clock.now();
    // The clocks of gateways differ a little, so windows are deleted some time after their end.
    const starts = { minute: now - 10 * MINUTE_MS, day: now - 2 * DAY_MS };
    await forgetQuotas(this.#pool, starts).catch((error: unknown) => {
      const message = 'old windows of request limits cannot be deleted; trying again later';
      reportFailure(this.#log, error, { where: 'limits', message });
    });
  }
}
