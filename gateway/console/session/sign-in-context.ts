import type { Pool } from 'pg';
import type { Logger } from '../../../service/log.ts';
import type { AttemptsByAddress } from './attempts.ts';
import type { OpenIdProvider } from './openid-provider.ts';

/** The dependencies of the pages before and after a session. */
export interface SignInContext {
  pool: Pool;
  /** Limits attempts with invalid tokens. */
  failures: AttemptsByAddress;
  /** Limits new sign-ins, because the database keeps each one. */
  starts: AttemptsByAddress;
  /** Whether browsers reach the console only by HTTPS. */
  isSecure: boolean;
  /** The sign-in provider; null if people sign in by links only. */
  provider: OpenIdProvider | null;
  log: Logger;
}
