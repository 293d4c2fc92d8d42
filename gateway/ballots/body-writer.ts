import { createHash } from 'node:crypto';
import { escapeLineBreaks } from '../../schemas/json-text.ts';
import { type Content, formatEtag } from '../http/content.ts';

/** The size of the blocks that small parts are collected in, in bytes. */
const BLOCK_BYTES = 64 * 1024;
/** Shorter parts are copied, because each piece of a body costs more to send than these bytes. */
const SHARED_FROM_BYTES = 8 * 1024;

/** A body would have more bytes than its writer allows. */
export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
}

/**
 * Writes a large body piece by piece, with its ETag. Long parts that are in memory already are shared, neither copied
 * nor hashed: they come with their digest.
 */
export class BodyWriter {
  readonly #maxBytes: number;
  readonly #pieces: Buffer[] = [];
  readonly #hash = createHash('sha1');
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  /** The beginning and the end of what was written to the block since the last piece. */
  #start = 0;
  #end = 0;
  #finished = 0;

  /** @param maxBytes more bytes make writing throw BodyTooLargeError */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes written so far. */
  get length(): number {
    return this.#finished + this.#end - this.#start;
  }

  /** Writes text, with Unicode's line breaks escaped as in all JSON of the service. */
  text(given: string): void {
    const text = escapeLineBreaks(given);
    const most = 3 * text.length;
    if (this.#block.length - this.#end < most) this.#reserve(most);
    this.#end += this.#block.write(text, this.#end);
  }

  /** Copies bytes. */
  copy(source: Buffer, from: number, to: number): void {
    if (this.#block.length - this.#end < to - from) this.#reserve(to - from);
    this.#end += source.copy(this.#block, this.#end, from, to);
  }

  /** Writes bytes that never change. @param digest of these bytes */
  share(bytes: Buffer, digest: Buffer): void {
    if (bytes.length < SHARED_FROM_BYTES) {
      this.copy(bytes, 0, bytes.length);
      return;
    }
    this.#flush();
    this.#push(bytes, digest);
  }

  /** Returns the content. Nothing may be written after this. */
  finish(): Content {
    this.#flush();
    const etag = formatEtag(this.#hash.digest('base64url'));
    return { pieces: this.#pieces, length: this.#finished, etag };
  }

  #flush(): void {
    if (this.#end === this.#start) return;
    const piece = this.#block.subarray(this.#start, this.#end);
    this.#push(piece, piece);
    this.#start = this.#end;
  }

  #push(piece: Buffer, hashed: Buffer): void {
    this.#hash.update(hashed);
    this.#pieces.push(piece);
    this.#finished += piece.length;
    if (this.#finished > this.#maxBytes)
      throw new BodyTooLargeError(`The body has more than ${this.#maxBytes} bytes.`);
  }

  #reserve(bytes: number): void {
    this.#flush();
    this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, bytes));
    this.#start = 0;
    this.#end = 0;
  }
}
