import type { Clock } from '../../service/clock.ts';
import type { ConsoleSession } from '../../store/access/console-sessions.ts';
import type { AnswerBudget } from '../answers/answer-budget.ts';
import { ApiError } from '../http/api-error.ts';
import { shareOfConsole } from './share.ts';
import { TokenBuckets } from './token-buckets.ts';

/** The most requests in a minute, for a gateway. */
const OF_SESSION = 120;
const OF_ACCOUNT = 600;
/** The wait of an account whose people have not taken their pages yet, in seconds. */
const UNTAKEN_SECONDS = 2;

type Sender = Pick<ConsoleSession, 'id' | 'accountId'>;

/**
 * Limits the requests of the console: its pages, its forms, and the API for its pages. They have limits of their own
 * by session and by account, so that nobody is locked out of the console by the account's programs, and neither
 * a session nor an account holds up the others (INV-15).
 */
export class ConsoleBudget {
  readonly #ofSessions: TokenBuckets;
  readonly #ofAccounts: TokenBuckets;
  readonly #answers: Pick<AnswerBudget, 'isUsedUp'>;

  constructor(clock: Pick<Clock, 'now'>, answers: Pick<AnswerBudget, 'isUsedUp'>) {
    this.#ofSessions = new TokenBuckets(OF_SESSION, clock);
    this.#ofAccounts = new TokenBuckets(OF_ACCOUNT, clock);
    this.#answers = answers;
  }

  /** Counts a request for a page. @returns 0, or the seconds after which a refused request can be sent again */
  admit(sender: Sender): number {
    return this.#answers.isUsedUp(shareOfConsole(sender.accountId)) ? UNTAKEN_SECONDS : this.#count(sender);
  }

  #count({ id, accountId }: Sender): number {
    const waitMs = Math.max(this.#ofSessions.waitMs(id), this.#ofAccounts.waitMs(accountId));
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    this.#ofSessions.take(id);
    this.#ofAccounts.take(accountId);
    return 0;
  }

  /** Counts a request to the API. @throws ApiError rate_limit_exceeded, with Retry-After */
  require(sender: Sender): void {
    const seconds = this.#count(sender);
    if (seconds === 0) return;
    throw new ApiError(
      'rate_limit_exceeded',
      `The console takes ${OF_SESSION} requests a minute of a session and ${OF_ACCOUNT} of an account. Ask again in ${seconds} s.`,
      { 'Retry-After': String(seconds) },
    );
  }
}
