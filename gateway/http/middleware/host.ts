import type { Middleware } from 'koa';
import { ApiError } from '../api-error.ts';

/** Refuses what HTTP/1.1 forbids, a request without the header Host, with the error body that every refusal has. */
export const requireHost: Middleware = (ctx, next) => {
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined) {
    throw new ApiError('invalid_parameter', 'HTTP/1.1 needs the header Host.');
  }
  return next();
};
