import type { Context, Middleware } from 'koa';
import compress from 'koa-compress';
import { createLruCache } from '../../service/lru-cache.ts';

/** Clients that accept any encoding get the first one. */
const ENCODINGS = ['gzip', 'zstd', 'br', 'deflate'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Smaller answers gain too little from compression, in bytes. */
export const COMPRESS_FROM_BYTES = 1024;

/** Frequent headers and their encodings. A choice takes up to a sixth of the time of a small answer. */
const choices = createLruCache<string, { encoding: Encoding | null }>(100);
/** Longer headers are not remembered, in characters. */
const MAX_REMEMBERED_LENGTH = 100;

/**
 * The encoding that a client prefers, and among equals the one that it names first; null for no compression.
 * Clients that refuse every encoding, identity included, get an uncompressed answer.
 */
function chooseEncoding(ctx: Context): Encoding | null {
  const accepted = ctx.req.headers['accept-encoding'];
  if (accepted === undefined) return null;
  const known = choices.get(accepted);
  if (known) return known.encoding;
  const liked = ctx.acceptsEncodings(...ENCODINGS, 'identity');
  const encoding = ENCODINGS.find((each) => each === liked) ?? null;
  if (accepted.length <= MAX_REMEMBERED_LENGTH) choices.set(accepted, { encoding });
  return encoding;
}

/**
 * Compresses answers for clients that accept it. `ctx.state.encoding` tells `sendContent` the encoding,
 * because it may have the answer in that encoding already.
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
