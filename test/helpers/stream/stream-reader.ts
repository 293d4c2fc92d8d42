import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import type { StreamFilter } from '../../../domain/stream-filter.ts';
import { type Connection, type Frame, type ReaderRecord, sequenceOf } from './stream-checker.ts';

/** Keeps one copy of the frames that many readers receive. */
export class FrameStore {
  readonly #frames = new Map<string, Frame>();

  /** The kept frame if it has the same id, event and data; otherwise this one. */
  share(event: string, id: string, data: string): Frame {
    const frame = { event, id, data };
    if (event !== 'endorsement') return frame;
    const known = this.#frames.get(id);
    if (known?.data === data) return known;
    this.#frames.set(id, frame);
    return frame;
  }
}

export interface StreamReaderOptions {
  name: string;
  /** The address of the gateway for the next connection. */
  address: () => string;
  key: string;
  filter?: StreamFilter;
  /** The start of the first connection: `latest`, `earliest`, or a cursor. */
  from?: string;
  frames?: FrameStore;
  /** The part of the server's `retry` time that it waits before it reconnects. */
  patience?: number;
}

/**
 * A reader of the stream like EventSource, light enough for thousands in a process. It connects, reconnects with its
 * last id whenever the connection ends, and records all frames.
 */
export class StreamReader {
  readonly record: ReaderRecord;
  /** The number of answers other than a stream, by `status code`. */
  readonly refusals = new Map<string, number>();
  /** Whether the stream is open now. */
  connected = false;
  readonly #options: StreamReaderOptions;
  readonly #connections: Connection[] = [];
  readonly #stopping = new AbortController();
  #request: http.ClientRequest | undefined;
  #response: http.IncomingMessage | undefined;
  #lastId: string | undefined;
  #retryMs = 1000;
  /** The wait that the last answer asked for because the account has too many streams, in milliseconds. */
  #refusedMs = 0;
  #done: Promise<void> | undefined;

  constructor(options: StreamReaderOptions) {
    this.#options = options;
    const { name, filter = {} } = options;
    this.record = { name, filter, connections: this.#connections, upTo: null };
  }

  start(): void {
    this.#done = this.#run();
  }

  /** Ends the connection and the reader. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.cut();
    await this.#done;
  }

  /** Its current sequence; -1 before the first id. */
  get position(): number {
    return this.#lastId === undefined ? -1 : sequenceOf(this.#lastId);
  }

  /** Drops the connection silently. */
  cut(): void {
    this.#request?.destroy();
  }

  /** Stops reading from the connection until `resume`. */
  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#connect();
      const pause = this.#refusedMs || this.#retryMs * (this.#options.patience ?? 1);
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  #url(): string {
    const { address, filter = {}, from = 'latest' } = this.#options;
    const start = from === 'latest' || from === 'earliest' ? { from } : { cursor: from };
    const fields = Object.entries(filter).map(([field, values]) => [field, values.join(',')] as const);
    return `${address()}/v1/stream?${new URLSearchParams({ ...Object.fromEntries(fields), ...start })}`;
  }

  /** The start of a new connection. */
  #after(): number | null {
    if (this.#lastId !== undefined) return this.position;
    const { from = 'latest' } = this.#options;
    if (from === 'latest') return null;
    return from === 'earliest' ? 0 : sequenceOf(from);
  }

  /** Resolves when the connection has ended or failed. */
  #connect(): Promise<void> {
    this.#refusedMs = 0;
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#options.key}` };
    if (this.#lastId !== undefined) headers['Last-Event-ID'] = this.#lastId;
    return new Promise((resolve) => {
      const request = http.get(this.#url(), { headers, agent: false }, (response) => {
        response.on('error', () => {});
        response.setEncoding('utf8');
        if (response.statusCode === 200) this.#receive(response);
        else this.#noteRefusal(response);
      });
      this.#request = request;
      request.on('error', () => {});
      request.on('close', () => {
        this.connected = false;
        resolve();
      });
    });
  }

  #receive(response: http.IncomingMessage): void {
    const frames: Frame[] = [];
    this.#connections.push({ via: 'stream', after: this.#after(), frames });
    this.connected = true;
    this.#response = response;
    const { frames: store } = this.#options;
    const parser = createParser({
      onEvent: ({ event = 'message', id = '', data }) => {
        frames.push(store?.share(event, id, data) ?? { event, id, data });
        this.#lastId = id;
      },
      onRetry: (retryMs) => {
        this.#retryMs = retryMs;
      },
    });
    response.on('data', (text: string) => parser.feed(text));
  }

  #noteRefusal(response: http.IncomingMessage): void {
    let body = '';
    if (response.statusCode === 429) this.#refusedMs = 1000 * Number(response.headers['retry-after']);
    response.on('data', (text: string) => {
      body += text;
    });
    response.on('end', () => {
      const name = `${response.statusCode} ${/"code":"(\w+)"/.exec(body)?.[1] ?? ''}`;
      this.refusals.set(name, (this.refusals.get(name) ?? 0) + 1);
    });
  }
}
