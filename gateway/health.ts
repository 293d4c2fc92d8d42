import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { sql } from '../store/pool.ts';
import type { GatewayContext } from './context.ts';

/** How long one look at the database counts, in milliseconds. */
const CHECK_INTERVAL_MS = 1000;

/** Says whether this gateway may be sent requests: it has caught up, reaches the database, and does not stop. */
function createReadiness({ pool, feed, draining, clock }: GatewayContext): () => Promise<string | null> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let reachable = Promise.resolve(false);
  const check = () =>
    pool.query(sql.type(z.object({}))`SELECT`).then(
      () => true,
      () => false,
    );
  return async () => {
    if (draining.aborted) return 'stopping';
    if (!feed.ready) return 'catching up with the stream';
    if (clock.now() - checkedAt >= CHECK_INTERVAL_MS) {
      checkedAt = clock.now();
      reachable = check();
    }
    return (await reachable) ? null : 'the database does not answer';
  };
}

/** Answers `/healthz` (the process is alive) and `/readyz` (it may be sent requests), without an API key. */
export function answerHealth(context: GatewayContext): Middleware {
  const findObstacle = createReadiness(context);
  const answer = (ctx: Context, status: number, body: object) => {
    ctx.status = status;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = body;
  };
  return async (ctx, next) => {
    if (ctx.path === '/healthz') return answer(ctx, 200, { status: 'alive' });
    if (ctx.path !== '/readyz') return next();
    const obstacle = await findObstacle();
    answer(ctx, obstacle === null ? 200 : 503, { status: obstacle ?? 'ready' });
  };
}
