import { SCOPES } from '../../schemas/vocabulary.ts';
import type { ConsoleSession, SessionState } from '../../store/access/console-sessions.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from './caller.ts';

/**
 * Returns the state of a session of the console if the session may read the API at a time, in milliseconds since 1970.
 *
 * @throws ApiError missing_api_key if it has ended, account_suspended.
 */
export function requireUsableSession<State extends SessionState>(state: State | null, now: number): State {
  if (!state || state.expiresAt <= now) {
    throw new ApiError('missing_api_key', 'The session of the console has ended; sign in again.');
  }
  if (state.suspended) throw new ApiError('account_suspended', 'The account of this session is suspended.');
  return state;
}

/** The person of a session as a caller of the API, who may do everything that a key of the account can. */
export function callerOf(session: ConsoleSession): Caller {
  const { id, accountId, account, plan, requestsPerMinute, requestsPerDay, maxStreams } = session;
  return {
    credential: { session: id },
    scopes: [...SCOPES],
    ...{ accountId, account, plan, requestsPerMinute, requestsPerDay, maxStreams },
  };
}
