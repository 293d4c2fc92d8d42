import type { Middleware } from 'koa';
import type { GatewayContext } from '../context.ts';

/**
 * Lets only those with a usable API key below `/v1`, to paths that do not exist too, and only as often as their plan
 * allows. Every answer after that says how much is left.
 */
export function admit({ access }: GatewayContext): Middleware {
  const { authenticator, keyUsage, requestLimiter, concurrencyLimiter } = access;
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/v1/') && ctx.path !== '/v1') return next();
    const key = await authenticator.authenticate(ctx.get('Authorization'));
    keyUsage.note(key.id);
    ctx.state.key = key;
    ctx.state.account = key.account;
    const { headers, refusal } = await requestLimiter.admit(key);
    for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value);
    if (refusal) throw refusal;
    await concurrencyLimiter.run(key, next);
  };
}
