import { createHash } from 'node:crypto';
import { type Content, nameContent } from '../../http/content.ts';

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

  /** The whole of it, which takes no more then. */
  finish(): Content {
    return {
      pieces: this.#pieces,
      length: this.#length,
      etag: nameContent(this.#hash.digest('base64url')),
    };
  }
}
