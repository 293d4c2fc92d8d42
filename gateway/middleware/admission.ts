import type { Middleware } from 'koa';
import type { GatewayContext } from '../context.ts';

/** Lets only those with a usable API key below `/v1`, to paths that do not exist too. */
export function admit({ authenticator, keyUsage }: GatewayContext): Middleware {
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/v1/') && ctx.path !== '/v1') return next();
    const key = await authenticator.authenticate(ctx.get('Authorization'));
    keyUsage.note(key.id);
    ctx.state.key = key;
    ctx.state.account = key.account;
    await next();
  };
}
