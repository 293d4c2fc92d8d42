import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { createReadPool, type DatabasePool, isReachable } from '../../store/connection/read-pool.ts';
import { ConcurrencyLimiter } from '../limits/concurrency.ts';
import { RequestLimiter } from '../limits/request-limiter.ts';
import { StreamLeases } from '../limits/stream-leases.ts';
import { UsageCounter } from '../usage/usage-counter.ts';
import { UsageWriter } from '../usage/usage-writer.ts';
import { Authenticator } from './authentication.ts';
import { KeyUsage } from './key-usage.ts';

const MAX_CONNECTIONS = 3;
const TIMEOUT_MS = 2000;

/** The keys and limits of a gateway. */
export interface Access extends Stoppable {
  authenticator: Authenticator;
  keyUsage: KeyUsage;
  requestLimiter: RequestLimiter;
  concurrencyLimiter: ConcurrencyLimiter;
  streamLeases: StreamLeases;
  usageCounter: UsageCounter;
  /** Connections for keys and limits alone, so that slow reads of data do not delay admission. */
  pool: DatabasePool;
  isStoreReachable(): Promise<boolean>;
}

export interface AccessOptions {
  databaseUrl: string;
  /** The most requests of one account that this gateway handles at a time. */
  accountConcurrency: number;
}

/** Starts authentication and limits. Stopping them saves the usage that is not in the database yet. */
export async function startAccess(
  { databaseUrl, accountConcurrency }: AccessOptions,
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
  const usageCounter = new UsageCounter();
  const usageWriter = new UsageWriter({ counter: usageCounter, pool, clock, log });
  const parts = [keyUsage, requestLimiter, streamLeases, usageWriter];
  for (const part of parts) part.start();
  return {
    authenticator: new Authenticator(pool, clock, log),
    keyUsage,
    requestLimiter,
    concurrencyLimiter: new ConcurrencyLimiter(accountConcurrency),
    streamLeases,
    usageCounter,
    pool,
    isStoreReachable: () => isReachable(pool),
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await pool.end();
    },
  };
}
