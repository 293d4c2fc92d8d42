import { createHash } from 'node:crypto';

/**
 * The text of a large body, encoded and hashed piece by piece while it is made: done at its end, that would hold up all
 * other requests.
 */
export class PiecedText {
  readonly #pieces: Buffer[] = [];
  readonly #hash = createHash('sha1');
  #length = 0;

  append(text: string): void {
    const piece = Buffer.from(text);
    this.#pieces.push(piece);
    this.#hash.update(piece);
    this.#length += piece.length;
  }

  get pieces(): readonly Buffer[] {
    return this.#pieces;
  }

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  /** Names what the text is. It is then complete, and takes no more. */
  digest(): string {
    return this.#hash.digest('base64url');
  }

  toString(): string {
    return this.#pieces.join('');
  }
}
