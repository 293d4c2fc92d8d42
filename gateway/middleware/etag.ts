import { hash } from 'node:crypto';
import type { Middleware } from 'koa';

/** The ETag of an answer by its digest. Weak, for the same answer goes out compressed in several ways. */
export const nameContent = (digest: string): string => `W/"${digest}"`;

/**
 * Names what an answer holds, unless its maker has, and answers 304 to who has it already. The answer is made anew each
 * time, so a 304 is never older than the stream (INV-1); what is saved is the way over the network.
 */
export const etag: Middleware = async (ctx, next) => {
  await next();
  const { body } = ctx;
  if (ctx.status !== 200 || !['GET', 'HEAD'].includes(ctx.method)) return;
  if (typeof body === 'string' || Buffer.isBuffer(body))
    ctx.etag = nameContent(hash('sha1', body, 'base64url'));
  if (ctx.etag && ctx.fresh) ctx.status = 304;
};
