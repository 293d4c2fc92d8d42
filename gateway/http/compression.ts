import type { Context, Middleware } from 'koa';
import compress from 'koa-compress';

/** The first of them is for clients that take any. */
const ENCODINGS = ['gzip', 'zstd', 'br', 'deflate'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Smaller answers gain too little from compression, in bytes. */
export const COMPRESS_FROM_BYTES = 1024;

/**
 * The encoding that a client would like best, and of several the one that it names first; null to send answers as they are.
 * Clients that refuse every encoding, identity included, get an uncompressed answer.
 */
function chooseEncoding(ctx: Context): Encoding | null {
  if (ctx.req.headers['accept-encoding'] === undefined) return null;
  const chosen = ctx.acceptsEncodings(...ENCODINGS, 'identity');
  return ENCODINGS.find((encoding) => encoding === chosen) ?? null;
}

/**
 * Compresses answers for clients that accept it. `ctx.state.encoding` says which encoding that is, for `sendContent`, which
 * may have the answer in it already.
 */
export function compressIfAccepted(): Middleware {
  const compressAnswer = compress({ threshold: COMPRESS_FROM_BYTES });
  return (ctx, next) => {
    const encoding = chooseEncoding(ctx);
    ctx.state.encoding = encoding;
    if (encoding === null) ctx.compress = false;
    return compressAnswer(ctx, next);
  };
}
