import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';

/** Longer than the part of an answer after its events. */
const END_BYTES = 2000;

/** Reads `/v1/events` a thousand at a time, and looks only at the next cursor. */
export class PageReader {
  readonly #base: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #headers: Record<string, string>;

  constructor(base: string, key: string) {
    this.#base = base;
    // Without compression, which would distort the result and is useless on one machine.
    this.#headers = { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'identity' };
  }

  /** @param query the start: `from=earliest`, or `cursor=` and a cursor */
  async read(query: string): Promise<{ nextCursor: string; hasMore: boolean }> {
    const end = await this.#readEnd(`${this.#base}/v1/events?${query}&limit=1000`);
    const { next_cursor, has_more } = JSON.parse(`{${end.slice(end.lastIndexOf('"next_cursor"'))}`);
    return { nextCursor: next_cursor, hasMore: has_more };
  }

  /** Reads an answer to its end. @returns its tail, which is longer than a cursor */
  async #readEnd(url: string): Promise<string> {
    const request = get(url, { agent: this.#agent, headers: this.#headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}.`);
    let last: Buffer = Buffer.alloc(0);
    response.on('data', (piece: Buffer) => {
      last = piece.length < END_BYTES ? Buffer.concat([last.subarray(-END_BYTES), piece]) : piece;
    });
    await once(response, 'end');
    return last.subarray(-END_BYTES).toString();
  }
}
