import { hash } from 'node:crypto';
import type { Context } from 'koa';
import { escapeLineBreaks } from '../../schemas/json-text.ts';
import { COMPRESS_FROM_BYTES, type Encoding } from './compression.ts';
import { PacedBody } from './paced-body.ts';

/** An encoded body that can be sent any number of times. */
export interface Content {
  readonly pieces: readonly Buffer[];
  /** The length in bytes. */
  readonly length: number;
  /** Weak, because the same content has several encodings. Null if it is never requested again. */
  readonly etag: string | null;
  /** Called after the content was sent. Content with this function can be sent only once. */
  readonly release?: () => void;
  /** Returns the content in an encoding. Absent for content that is sent once. */
  encode?(encoding: Encoding): Promise<Buffer>;
}

/** Formats the ETag of content from its digest. */
export const formatEtag = (digest: string): string => `W/"${digest}"`;

/** Smaller bodies are written at once: the kernel takes most of them, in bytes. */
const PACED_FROM_BYTES = 256 * 1024;
/** How slowly a client may take a larger body, or lines: 128 kilobits per second. */
export const PACE = { stallMs: 30_000, bytesPerSecond: 16_000 };

/** The most bytes of a UTF-16 code unit in UTF-8. */
const MAX_UNIT_BYTES = 3;
/** Reused for every text up to a third of its size; most pages are smaller. */
const scratch = Buffer.allocUnsafeSlow(1024 * 1024);

/**
 * Encodes JSON texts one after the other, with Unicode's line breaks escaped. Joining them first would copy them all, and counting their bytes first
 * takes longer than encoding them.
 */
export function encodeTexts(given: readonly string[]): Buffer {
  const texts = given.map(escapeLineBreaks);
  const most = MAX_UNIT_BYTES * texts.reduce((units, { length }) => units + length, 0);
  const target = most <= scratch.length ? scratch : Buffer.allocUnsafeSlow(most);
  let end = 0;
  for (const text of texts) end += target.write(text, end);
  return Buffer.from(target.subarray(0, end));
}

/** Encodes a body once, for its length, its ETag and the answer. Encoded content is returned unchanged. */
export function encodeContent(body: string | Buffer | Content): Content {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return body;
  const bytes = typeof body === 'string' ? encodeTexts([body]) : body;
  return { pieces: [bytes], length: bytes.length, etag: formatEtag(hash('sha1', bytes, 'base64url')) };
}

/** Copies pieces into their own memory: a small slice would keep the whole block that it is part of. */
export function copyPieces(pieces: readonly Buffer[], length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const piece of pieces) end += piece.copy(bytes, end);
  return bytes;
}

/**
 * Whether a client has this content already, by its `If-None-Match`: `*`, or a list of tags that are compared
 * weakly (RFC 9110, 13.1.2). Koa's own rule always resends if the request has `Cache-Control: no-cache`,
 * which `fetch` adds by itself. That header is for caches on the way, not for the origin.
 */
export function namesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => opaqueTag(tag.trim()) === opaqueTag(etag));
}

const opaqueTag = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag);

/** Sends content, or 304 if the client has it already. The content type must be set first. */
export async function sendContent(
  ctx: Context,
  content: Content,
  status: 200 | 201 | 202 = 200,
): Promise<void> {
  const { pieces, length, etag, release } = content;
  ctx.status = status;
  if (release) ctx.res.once('finish', release);
  if (etag !== null && status === 200 && (ctx.method === 'GET' || ctx.method === 'HEAD')) {
    ctx.etag = etag;
    if (namesTag(ctx.get('If-None-Match'), etag)) {
      ctx.status = 304;
      return;
    }
  }
  const { encoding } = ctx.state;
  if (content.encode && encoding && length >= COMPRESS_FROM_BYTES && ctx.method !== 'HEAD') {
    const encoded = await content.encode(encoding);
    setBody(ctx, [encoded], encoded.length);
    ctx.set('Content-Encoding', encoding);
  } else setBody(ctx, pieces, length);
  // Requests for the same kept answer share its bytes.
  if (content.encode) ctx.state.sharedBody = content;
}

function setBody(ctx: Context, pieces: readonly Buffer[], length: number): void {
  const [first] = pieces;
  if (length >= PACED_FROM_BYTES) ctx.body = new PacedBody(pieces, PACE, () => ctx.res.destroy());
  else ctx.body = first && pieces.length === 1 ? first : copyPieces(pieces, length);
  ctx.length = length;
}
