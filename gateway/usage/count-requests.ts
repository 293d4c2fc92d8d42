import type { Middleware } from 'koa';
import type { Clock } from '../../service/clock.ts';
import { SLOW_MS } from '../../store/access/usage.ts';
import type { RequestSender, UsageCounter } from './usage-counter.ts';

const WAITS = /(^|&)wait=/;

/**
 * Counts the answer to every request with a known sender. A later middleware puts the sender into
 * `ctx.state.sender`, and the error handler puts the error of a refused request into `ctx.state.error`. A
 * stream is counted when it begins.
 */
export function countRequests(counter: UsageCounter, clock: Clock): Middleware {
  return async (ctx, next) => {
    const began = clock.now();
    await next();
    const sender: RequestSender | undefined = ctx.state.sender;
    if (!sender) return;
    const { requestId, route = 'none', error } = ctx.state;
    const { method } = ctx;
    const at = clock.now();
    const took = Math.max(0, Math.round(at - began));
    // A request that asks to wait is not slow.
    const ms = took >= SLOW_MS && WAITS.test(ctx.querystring) ? 0 : took;
    counter.count({
      ...sender,
      at,
      route,
      status: ctx.status,
      ...(error
        ? { error: { requestId, method, code: error.code, message: error.message } }
        : { sample: { requestId, method, ms } }),
    });
  };
}
