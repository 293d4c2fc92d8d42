import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { createReadPool, isReachable } from '../../store/connection/read-pool.ts';
import type { GatewayConfig } from '../config.ts';
import { OpenStreams } from '../delivery/open-streams.ts';
import { ConcurrencyLimiter } from '../limits/concurrency.ts';
import { RequestLimiter } from '../limits/request-limiter.ts';
import { StreamLeases } from '../limits/stream-leases.ts';
import { Authenticator } from './authentication.ts';
import { KeyUsage } from './key-usage.ts';

/** Keys and limits have connections of their own, so that slow reads do not hold up who may ask for what. */
const MAX_CONNECTIONS = 3;
const TIMEOUT_MS = 2000;

/** Who may ask, and for how much. */
export interface Access extends Stoppable {
  authenticator: Authenticator;
  keyUsage: KeyUsage;
  requestLimiter: RequestLimiter;
  concurrencyLimiter: ConcurrencyLimiter;
  streamLeases: StreamLeases;
  openStreams: OpenStreams;
  /** Whether the store answers. */
  isStoreReachable(): Promise<boolean>;
}

/** Starts what a gateway knows of keys and limits. Stopping it tells the store what it has not been told. */
export async function startAccess(
  { databaseUrl, accountConcurrency }: GatewayConfig,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<Access> {
  const pool = await createReadPool({
    databaseUrl,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeoutMs: TIMEOUT_MS,
    statementTimeoutMs: TIMEOUT_MS,
  });
  const keyUsage = new KeyUsage(pool, clock, log);
  const requestLimiter = new RequestLimiter(pool, clock, log);
  const streamLeases = new StreamLeases({ pool, clock, log });
  const openStreams = new OpenStreams({ pool, clock, log });
  const parts = [keyUsage, requestLimiter, streamLeases, openStreams];
  for (const part of parts) part.start();
  return {
    authenticator: new Authenticator(pool, clock),
    keyUsage,
    requestLimiter,
    concurrencyLimiter: new ConcurrencyLimiter(accountConcurrency),
    streamLeases,
    openStreams,
    isStoreReachable: () => isReachable(pool),
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await pool.end();
    },
  };
}
