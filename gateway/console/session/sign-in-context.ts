import type { Pool } from 'pg';
import type { Logger } from '../../../service/log.ts';
import type { AttemptsByAddress } from './attempts.ts';
import type { OpenIdProvider } from './openid-provider.ts';

/** Everything that the pages around a session share. */
export interface SignInContext {
  pool: Pool;
  /** Tokens that were not valid. */
  failures: AttemptsByAddress;
  /** Sign-ins that began, each of which the database keeps. */
  starts: AttemptsByAddress;
  /** Whether browsers reach the console by HTTPS only. */
  isSecure: boolean;
  /** The provider with which people sign in; null if they come by links only. */
  provider: OpenIdProvider | null;
  log: Logger;
}
