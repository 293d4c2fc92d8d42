import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context } from 'koa';

/** What a body says, as bytes that can be sent any number of times. */
export interface Content {
  readonly pieces: readonly Buffer[];
  /** In bytes. */
  readonly length: number;
  /** Names what it says. Weak, for the same goes out compressed in several ways. Null for what is never asked for again. */
  readonly etag: string | null;
}

/** The ETag of what has this digest. */
export const nameContent = (digest: string): string => `W/"${digest}"`;

/** Encodes a text, once: to measure it, to hash it and to send it would each do so again. What is encoded stays so. */
export function encodeContent(body: string | Buffer | Content): Content {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return body;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { pieces: [bytes], length: bytes.length, etag: nameContent(hash('sha1', bytes, 'base64url')) };
}

/** Answers with what was asked for, whose type is to be set before; with 304 who read it before and has it still. */
export function sendContent(ctx: Context, { pieces, length, etag }: Content, status: 200 | 201 = 200): void {
  ctx.status = status;
  if (etag !== null && status === 200 && (ctx.method === 'GET' || ctx.method === 'HEAD')) {
    ctx.etag = etag;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
  }
  ctx.body = pieces.length === 1 ? pieces[0] : Readable.from(pieces);
  ctx.length = length;
}
