import { createHash } from 'node:crypto';
import { type Content, encodeTexts, formatEtag } from '../../http/content.ts';

/**
 * The text of a large body, encoded and hashed piece by piece while it is made. Doing this at the end would
 * delay all other requests.
 */
export class PiecedText {
  readonly #pieces: Buffer[] = [];
  readonly #hash = createHash('sha1');
  #length = 0;

  append(text: string): void {
    const piece = encodeTexts([text]);
    this.#pieces.push(piece);
    this.#hash.update(piece);
    this.#length += piece.length;
  }

  /** Returns the content. Nothing may be appended after this. */
  finish(): Content {
    return {
      pieces: this.#pieces,
      length: this.#length,
      etag: formatEtag(this.#hash.digest('base64url')),
    };
  }
}
