import type { Middleware } from 'koa';
import { READ_METHODS } from './methods.ts';

/**
 * Leads browsers from addresses that people try to the pages that they want. Other clients get the usual answer to a
 * path without an endpoint.
 */
export function answerSignposts({ hasConsole }: { hasConsole: boolean }): Middleware {
  const targets = new Map([
    ['/', hasConsole ? '/console' : '/docs'],
    ['/docs/', '/docs'],
    ...(hasConsole ? ([['/console/', '/console']] as const) : []),
  ]);
  return async (ctx, next) => {
    const target = READ_METHODS.includes(ctx.method) ? targets.get(ctx.path) : undefined;
    if (target === undefined) return next();
    ctx.vary('Accept');
    // A client that accepts everything gets JSON.
    if (ctx.accepts('json', 'html') !== 'html') return next();
    ctx.redirect(target);
  };
}
