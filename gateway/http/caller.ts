import type { StoredKey } from '../../store/access/api-keys.ts';

/**
 * The proof of a request's right to be answered: an API key or a session of the console, by its id. A session can show
 * another account later, so it counts for the account that it shows at the request.
 */
export type Credential = { key: number } | { session: number; accountId: number };

/** The author of an admitted request: an account with the limits of its plan, the scopes it has, and their proof. */
export interface Caller
  extends Pick<
    StoredKey,
    'accountId' | 'account' | 'plan' | 'scopes' | 'requestsPerMinute' | 'requestsPerDay' | 'maxStreams'
  > {
  credential: Credential;
}
