import type { Middleware } from 'koa';
import { ApiError } from '../api-error.ts';

/** The headers of which Node shows only the first, in lower case. */
const SINGLE = ['host', 'authorization'] as const;

/** The number of headers of this name, in lower case. */
function countHeaders(rawHeaders: readonly string[], wanted: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === wanted.length && name.toLowerCase() === wanted) count += 1;
  }
  return count;
}

/**
 * Refuses HTTP/1.1 requests without a Host header (RFC 9112, 3.2), and any request with two of a header that must be
 * single: a proxy in front may have used the other one. The answer has the usual error body.
 */
export const requireSingleHeaders: Middleware = (ctx, next) => {
  const { rawHeaders, headers, httpVersion } = ctx.req;
  for (const name of SINGLE) {
    const count = countHeaders(rawHeaders, name);
    if (count <= 1) continue;
    const title = name === 'host' ? 'Host' : 'Authorization';
    throw new ApiError('invalid_parameter', `A request has one header ${title}; this one has ${count}.`);
  }
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new ApiError('invalid_parameter', 'HTTP/1.1 needs the header Host.');
  }
  return next();
};
