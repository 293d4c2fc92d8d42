import type { StoredKey } from '../../store/access/api-keys.ts';

/**
 * The credential of a request: the id of an API key or of a console session. A session can switch accounts,
 * so it includes the account that it shows at the time of the request.
 */
export type Credential = { key: number } | { session: number; accountId: number };

/** The sender of an admitted request: an account with its credential, its scopes and the limits of its plan. */
export interface Caller
  extends Pick<
    StoredKey,
    'accountId' | 'account' | 'plan' | 'scopes' | 'requestsPerMinute' | 'requestsPerDay' | 'maxStreams'
  > {
  credential: Credential;
}
