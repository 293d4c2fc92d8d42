import { createParser } from 'eventsource-parser';

/** Listens to the changes of one endorser on a gateway's stream. */
export class ProbeStream {
  readonly #ending = new AbortController();
  /** By statement: told whether its change has arrived. */
  readonly #awaited = new Map<string, (hasArrived: boolean) => void>();
  #isOpen = true;

  /** Opens a stream. @throws Error if the gateway does not answer, or refuses, with its answer */
  static async open(url: string, key: string, timeoutMs: number): Promise<ProbeStream> {
    const stream = new ProbeStream();
    const tooLate = setTimeout(() => stream.close(), timeoutMs);
    try {
      const headers = { Authorization: `Bearer ${key}` };
      const response = await fetch(url, { headers, signal: stream.#ending.signal });
      if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
      const ready = Promise.withResolvers<void>();
      const ended = new Error('The gateway ended the stream.');
      stream.#follow(response.body, ready.resolve).then(() => ready.reject(ended), ready.reject);
      await ready.promise;
      return stream;
    } catch (error) {
      stream.close();
      throw error;
    } finally {
      clearTimeout(tooLate);
    }
  }

  /** Whether it still follows the gateway. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  close(): void {
    this.#end();
    this.#ending.abort();
  }

  /** Resolves to true when the change with this statement arrives, and to false after the timeout or the stream's end. */
  async arrival(statement: string, timeoutMs: number): Promise<boolean> {
    if (!this.#isOpen) return false;
    const arrived = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => arrived.resolve(false), timeoutMs).unref();
    this.#awaited.set(statement, arrived.resolve);
    const hasArrived = await arrived.promise;
    this.#awaited.delete(statement);
    clearTimeout(timer);
    return hasArrived;
  }

  async #follow(body: ReadableStream<Uint8Array<ArrayBuffer>>, onReady: () => void): Promise<void> {
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === 'ready') onReady();
        if (event === 'endorsement') this.#awaited.get(JSON.parse(data).endorsement.statement)?.(true);
      },
    });
    try {
      for await (const text of body.pipeThrough(new TextDecoderStream())) parser.feed(text);
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#isOpen = false;
    for (const tell of this.#awaited.values()) tell(false);
  }
}
