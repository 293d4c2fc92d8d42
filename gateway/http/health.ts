import type { Middleware } from 'koa';
import type { GatewayContext } from '../context.ts';
import { createUnavailableError } from './api-error.ts';
import { READ_METHODS, requireMethod } from './methods.ts';

/** How long one look at the database counts, in milliseconds. */
const CHECK_INTERVAL_MS = 1000;

/** Makes sure that this gateway may be sent requests: it has caught up, reaches the database, and does not stop. */
function createReadiness({ access, feed, draining, clock }: GatewayContext): () => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking = false;
  let reachable = Promise.resolve(false);
  const check = async () => {
    checking = true;
    try {
      return await access.isStoreReachable();
    } finally {
      checking = false;
    }
  };
  return async () => {
    if (draining.aborted) throw createUnavailableError('server_busy', 'This gateway stops.');
    if (!feed.ready)
      throw createUnavailableError('warming_up', 'This gateway is catching up with the stream.');
    if (!checking && clock.now() - checkedAt >= CHECK_INTERVAL_MS) {
      checkedAt = clock.now();
      reachable = check();
    }
    if (!(await reachable)) throw createUnavailableError('server_busy', 'The database does not answer.');
  };
}

/**
 * Answers `/healthz` (the process is alive) and `/readyz` (it may be sent requests, or 503), without an API key.
 *
 * @throws ApiError warming_up or server_busy, method_not_allowed.
 */
export function answerHealth(context: GatewayContext): Middleware {
  const requireReady = createReadiness(context);
  return async (ctx, next) => {
    if (ctx.path !== '/healthz' && ctx.path !== '/readyz') return next();
    requireMethod(ctx, READ_METHODS);
    if (ctx.path === '/readyz') await requireReady();
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { status: ctx.path === '/readyz' ? 'ready' : 'alive' };
  };
}
