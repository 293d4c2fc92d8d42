import type { Middleware } from 'koa';
import type { Clock } from '../../service/clock.ts';
import { createUnavailableError } from './api-error.ts';
import { READ_METHODS, requireMethod } from './methods.ts';

/** How long the result of one database check is reused, in milliseconds. */
const CHECK_INTERVAL_MS = 1000;

export interface HealthOptions {
  /** Whether the gateway has caught up with the stream. */
  hasCaughtUp(): boolean;
  isStoreReachable(): Promise<boolean>;
  /** Aborts when the gateway begins to shut down. */
  draining: AbortSignal;
  clock: Clock;
}

/** Creates a check that throws unless the gateway has caught up, reaches the database and is not shutting down. */
function createReadinessCheck({
  hasCaughtUp,
  isStoreReachable,
  draining,
  clock,
}: HealthOptions): () => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking = false;
  let reachable = Promise.resolve(false);
  const check = async () => {
    checking = true;
    try {
      return await isStoreReachable();
    } finally {
      checking = false;
    }
  };
  return async () => {
    if (draining.aborted) throw createUnavailableError('server_busy', 'This gateway is shutting down.');
    if (!hasCaughtUp())
      throw createUnavailableError('warming_up', 'This gateway is catching up with the stream.');
    if (!checking && clock.now() - checkedAt >= CHECK_INTERVAL_MS) {
      checkedAt = clock.now();
      reachable = check();
    }
    if (!(await reachable)) throw createUnavailableError('server_busy', 'The database does not answer.');
  };
}

/**
 * Answers `/healthz` (200 while the process is alive) and `/readyz` (200 if it may receive requests, else 503). Neither
 * needs an API key.
 *
 * @throws ApiError warming_up, server_busy or method_not_allowed.
 */
export function answerHealth(options: HealthOptions): Middleware {
  const requireReady = createReadinessCheck(options);
  return async (ctx, next) => {
    if (ctx.path !== '/healthz' && ctx.path !== '/readyz') return next();
    requireMethod(ctx, READ_METHODS);
    if (ctx.path === '/readyz') await requireReady();
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { status: ctx.path === '/readyz' ? 'ready' : 'alive' };
  };
}
