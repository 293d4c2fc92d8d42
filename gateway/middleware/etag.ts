import { hash } from 'node:crypto';
import type { Middleware } from 'koa';

/**
 * Names what an answer holds, and answers 304 to who has it already. The answer is made anew each time, so a 304 is
 * never older than the stream (INV-1); what is saved is the way over the network.
 */
export const etag: Middleware = async (ctx, next) => {
  await next();
  const { body } = ctx;
  if (ctx.status !== 200 || !['GET', 'HEAD'].includes(ctx.method)) return;
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return;
  // Weak, for the same answer goes out compressed in several ways.
  ctx.set('ETag', `W/"${hash('sha1', body, 'base64url')}"`);
  if (ctx.fresh) ctx.status = 304;
};
