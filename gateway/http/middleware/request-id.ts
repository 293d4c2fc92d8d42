import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

/** A request id that a client may choose: short, and safe in headers and logs. */
const SANE = /^[A-Za-z0-9._:-]{1,100}$/;

/** Gives every request an id, which the answer repeats: the client's if it is sane, or a new one. */
export const requestId: Middleware = async (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = SANE.test(given) ? given : randomUUID();
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};
