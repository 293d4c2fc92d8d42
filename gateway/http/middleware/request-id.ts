import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

/** What a caller may call its request: short, and safe in a header and a log. */
const SANE = /^[A-Za-z0-9._:-]{1,100}$/;

/** Names every request, by the caller's own X-Request-Id where it sent a sane one; the answer repeats it. */
export const requestId: Middleware = async (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = SANE.test(given) ? given : randomUUID();
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};
