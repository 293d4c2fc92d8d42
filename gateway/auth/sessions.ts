import { SCOPES } from '../../schemas/vocabulary.ts';
import type { ConsoleSession, SessionState } from '../../store/access/console-sessions.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';

/**
 * Returns the state of a console session if it may read the API at `now`, in milliseconds since 1970.
 *
 * @throws ApiError missing_api_key if the session has ended, account_suspended.
 */
export function requireUsableSession<State extends SessionState>(state: State | null, now: number): State {
  if (!state || state.expiresAt <= now) {
    throw new ApiError('missing_api_key', 'The session of the console has ended; sign in again.');
  }
  if (state.suspended) throw new ApiError('account_suspended', 'The account of this session is suspended.');
  return state;
}

/**
 * Checks that a long request may continue: its session may still read the API, for the same account.
 *
 * @throws ApiError missing_api_key, account_suspended, or insufficient_scope if the session shows another
 *   account.
 */
export function requireSameAccount(state: SessionState | null, accountId: number, now: number): void {
  if (requireUsableSession(state, now).accountId === accountId) return;
  throw new ApiError('insufficient_scope', 'The console shows another account now; open the page again.');
}

/** A session as a caller of the API, with every right that a key of the account can have. Members do not publish. */
export function callerOf(session: ConsoleSession): Caller {
  const { id, role, accountId, account, plan, requestsPerMinute, requestsPerDay, maxStreams } = session;
  return {
    credential: { session: id, accountId },
    scopes: SCOPES.filter((scope) => scope !== 'endorsements:write' || role !== 'member'),
    ...{ accountId, account, plan, requestsPerMinute, requestsPerDay, maxStreams },
  };
}
