import { createParser, type EventSourceMessage, type ParserCallbacks } from 'eventsource-parser';
import { until } from '../until.ts';

/** Gives the events of an answer to a parser until the answer ends. @throws if the connection breaks or is aborted */
export async function readEvents({ body }: Response, callbacks: ParserCallbacks): Promise<void> {
  const parser = createParser(callbacks);
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
}

/** An open connection of Server-Sent Events, and everything it has received. */
export class EventStreamClient {
  readonly response: Response;
  readonly events: EventSourceMessage[] = [];
  readonly comments: string[] = [];
  /** The server's `retry`: the delay before reconnecting, in milliseconds. */
  retryMs: number | undefined;
  /** Whether the server ended the stream. */
  ended = false;
  readonly #aborting: AbortController;

  private constructor(response: Response, aborting: AbortController) {
    this.response = response;
    this.#aborting = aborting;
  }

  /**
   * Connects. A status other than 200 is not an error here; `response` has it. Frames are compressed only if `headers`
   * ask for it: to compress each would cost more than anything else here.
   */
  static async open(url: string, headers: Record<string, string>): Promise<EventStreamClient> {
    const aborting = new AbortController();
    const response = await fetch(url, {
      headers: { 'Accept-Encoding': 'identity', ...headers },
      signal: aborting.signal,
    });
    const client = new EventStreamClient(response, aborting);
    if (response.status === 200) void client.#read();
    return client;
  }

  async #read(): Promise<void> {
    try {
      await readEvents(this.response, {
        onEvent: (event) => this.events.push(event),
        onComment: (comment) => this.comments.push(comment),
        onRetry: (retryMs) => {
          this.retryMs = retryMs;
        },
      });
    } catch {
      // The test closed it, or the server died; `ended` distinguishes that from a clean end.
      return;
    }
    this.ended = true;
  }

  /** The events of one kind, with parsed data. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check the shapes of the bodies that they use.
  of(kind: string): { id: string; data: any }[] {
    return this.events
      .filter(({ event }) => event === kind)
      .map(({ id = '', data }) => ({ id, data: JSON.parse(data) }));
  }

  /** Waits until it has received this number of events of a kind, and returns them. */
  async wait(kind: string, count: number, timeoutMs?: number) {
    await until(`${count} ${kind} events`, () => this.of(kind).length >= count, timeoutMs);
    return this.of(kind);
  }

  close(): void {
    this.#aborting.abort();
  }
}
