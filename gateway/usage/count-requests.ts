import type { Middleware } from 'koa';
import type { Clock } from '../../service/clock.ts';
import type { Caller, UsageCounter } from './usage-counter.ts';

/**
 * Counts the answer to every request whose caller is known. A middleware after it names the caller in `ctx.state.caller`,
 * and the error handler puts the error of a refused request into `ctx.state.error`. A stream is counted when it begins.
 */
export function countRequests(counter: UsageCounter, clock: Clock): Middleware {
  return async (ctx, next) => {
    await next();
    const caller: Caller | undefined = ctx.state.caller;
    if (!caller) return;
    const { requestId, route = 'none', error } = ctx.state;
    counter.count({
      ...caller,
      at: clock.now(),
      route,
      status: ctx.status,
      ...(error && { error: { requestId, method: ctx.method, code: error.code, message: error.message } }),
    });
  };
}
