import type { Middleware } from 'koa';
import { ApiError } from '../api-error.ts';

/** The number of Host headers of a request. `headers` shows only the first. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/**
 * Refuses HTTP/1.1 requests without a Host header, and any request with two: a proxy in front may have used
 * the other one (RFC 9112, 3.2). The answer has the usual error body.
 */
export const requireHost: Middleware = (ctx, next) => {
  const count = countHosts(ctx.req.rawHeaders);
  if (count > 1)
    throw new ApiError('invalid_parameter', `A request has one header Host; this one has ${count}.`);
  if (count === 0 && ctx.req.httpVersion === '1.1') {
    throw new ApiError('invalid_parameter', 'HTTP/1.1 needs the header Host.');
  }
  return next();
};
