import type { Middleware } from 'koa';
import type { Clock } from '../../service/clock.ts';
import type { RequestSender, UsageCounter } from './usage-counter.ts';

/**
 * Counts the answer to every request with a known sender. A later middleware puts the sender into
 * `ctx.state.sender`, and the error handler puts the error of a refused request into `ctx.state.error`. A
 * stream is counted when it begins.
 */
export function countRequests(counter: UsageCounter, clock: Clock): Middleware {
  return async (ctx, next) => {
    await next();
    const sender: RequestSender | undefined = ctx.state.sender;
    if (!sender) return;
    const { requestId, route = 'none', error } = ctx.state;
    counter.count({
      ...sender,
      at: clock.now(),
      route,
      status: ctx.status,
      ...(error && { error: { requestId, method: ctx.method, code: error.code, message: error.message } }),
    });
  };
}
