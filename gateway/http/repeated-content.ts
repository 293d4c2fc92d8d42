import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip, zstdCompress } from 'node:zlib';
import type { Encoding } from './compression.ts';
import { type Content, copyPieces } from './content.ts';

const brotli = promisify(brotliCompress);
/** The settings of answers that are sent once. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  gzip: promisify<Buffer, Buffer>(gzip),
  zstd: promisify<Buffer, Buffer>(zstdCompress),
  br: (bytes) => brotli(bytes, BROTLI),
  deflate: promisify<Buffer, Buffer>(deflate),
};

/** Content for many requests. It is compressed once for each encoding that clients ask for. */
export class RepeatedContent implements Content {
  readonly pieces: readonly [Buffer];
  readonly etag: string | null;
  readonly #onGrowth: () => void;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();
  #encodedBytes = 0;

  private constructor(bytes: Buffer, etag: string | null, onGrowth: () => void) {
    this.pieces = [bytes];
    this.etag = etag;
    this.#onGrowth = onGrowth;
  }

  /** @param onGrowth is called when the content takes more memory */
  static copyOf({ pieces, length, etag }: Content, onGrowth: () => void = () => {}): RepeatedContent {
    return new RepeatedContent(copyPieces(pieces, length), etag, onGrowth);
  }

  get length(): number {
    return this.pieces[0].length;
  }

  /** The memory of the content and its encodings, in bytes. */
  get memoryBytes(): number {
    return this.length + this.#encodedBytes;
  }

  encode(encoding: Encoding): Promise<Buffer> {
    const known = this.#encoded.get(encoding);
    if (known) return known;
    const encoded = this.#make(encoding);
    this.#encoded.set(encoding, encoded);
    // The next request tries again.
    encoded.catch(() => this.#encoded.delete(encoding));
    return encoded;
  }

  async #make(encoding: Encoding): Promise<Buffer> {
    const made = await encoders[encoding](this.pieces[0]);
    const encoded = copyPieces([made], made.length);
    this.#encodedBytes += encoded.length;
    this.#onGrowth();
    return encoded;
  }
}
