import { compressPiece, type GzipPiece } from './gzip-member.ts';

/** How a connection receives bytes. */
export interface WireForm {
  /** Whether the bytes are parts of a gzip member. */
  gzip: boolean;
  /** Whether each write is a chunk of HTTP/1.1. HTTP/1.0 has no chunks. */
  chunked: boolean;
}

/** Makes a chunk of HTTP/1.1 (RFC 9112, section 7.1). No bytes would end the message. */
export function makeChunk(bytes: Buffer): Buffer {
  const head = `${bytes.length.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafeSlow(head.length + bytes.length + 2);
  chunk.write(head, 'latin1');
  bytes.copy(chunk, head.length);
  chunk.write('\r\n', head.length + bytes.length, 'latin1');
  return chunk;
}

/**
 * Bytes that many connections receive. Each form is made once, for the first connection that needs it, and
 * all connections of that form get the same bytes (INV-11).
 */
export class SharedBytes {
  readonly plain: Buffer;
  readonly #pack: (plain: Buffer) => GzipPiece;
  #piece: GzipPiece | undefined;
  #plainChunk: Buffer | undefined;
  #gzipChunk: Buffer | undefined;

  /** @param pack makes the bytes' part of a gzip member */
  constructor(plain: Buffer, pack: (plain: Buffer) => GzipPiece = compressPiece) {
    this.plain = plain;
    this.#pack = pack;
  }

  /** The bytes' part of a gzip member. */
  get piece(): GzipPiece {
    this.#piece ??= this.#pack(this.plain);
    return this.#piece;
  }

  /** The bytes in a form. */
  in({ gzip, chunked }: WireForm): Buffer {
    if (!gzip) return chunked ? this.#chunk : this.plain;
    if (!chunked) return this.piece.bytes;
    this.#gzipChunk ??= makeChunk(this.piece.bytes);
    return this.#gzipChunk;
  }

  get #chunk(): Buffer {
    this.#plainChunk ??= makeChunk(this.plain);
    return this.#plainChunk;
  }
}
