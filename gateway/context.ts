import type { Clock } from '../service/clock.ts';
import type { Logger } from '../service/log.ts';
import type { DatabasePool } from '../store/pool.ts';
import type { Authenticator } from './authentication.ts';
import type { GatewayConfig } from './config.ts';
import type { Feed } from './feed/feed.ts';
import type { KeyUsage } from './key-usage.ts';
import type { ConcurrencyLimiter } from './limits/concurrency.ts';
import type { RequestLimiter } from './limits/request-limiter.ts';

/** What the routes of a gateway share. */
export interface GatewayContext {
  config: GatewayConfig;
  pool: DatabasePool;
  feed: Feed;
  authenticator: Authenticator;
  keyUsage: KeyUsage;
  requestLimiter: RequestLimiter;
  concurrencyLimiter: ConcurrencyLimiter;
  clock: Clock;
  logger: Logger;
  /** Given when the gateway begins to shut down: long polls answer, streams say goodbye. */
  draining: AbortSignal;
}
