import type { Middleware } from 'koa';

const PREFIX = '/console/api';

/**
 * Serves the API to pages of the console below `/console/api/v1`: the request continues as one below `/v1`,
 * with the session of its cookie instead of a key.
 */
export const readConsoleApi: Middleware = (ctx, next) => {
  if (ctx.path.startsWith(`${PREFIX}/v1/`)) {
    ctx.path = ctx.path.slice(PREFIX.length);
    ctx.state.bySession = true;
  }
  return next();
};
