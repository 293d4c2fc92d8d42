import type { Middleware } from 'koa';
import { ApiError } from '../api-error.ts';

/** Refuses an HTTP/1.1 request without the header Host, with the same error body as other failures. */
export const requireHost: Middleware = (ctx, next) => {
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined) {
    throw new ApiError('invalid_parameter', 'HTTP/1.1 needs the header Host.');
  }
  return next();
};
