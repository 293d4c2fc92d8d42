import type { Middleware } from 'koa';

const PREFIX = '/console/api';

/**
 * Serves the API below `/console/api/v1` to pages of the console: the request goes on as one below `/v1`, by the session
 * of its cookie instead of a key.
 */
export const readConsoleApi: Middleware = (ctx, next) => {
  if (ctx.path.startsWith(`${PREFIX}/v1/`)) {
    ctx.path = ctx.path.slice(PREFIX.length);
    ctx.state.bySession = true;
  }
  return next();
};
