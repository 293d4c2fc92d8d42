import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import type { StreamFilter } from '../../domain/stream-filter.ts';
import { type Connection, type Frame, type ReaderRecord, sequenceOf } from './stream-checker.ts';

/** Keeps one copy of what many readers receive alike. */
export class FrameStore {
  readonly #frames = new Map<string, Frame>();

  /** The frame of this content: the one that is kept, where it has the same id, event and data. */
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
  /** Where to connect this time: a gateway's address. */
  address: () => string;
  key: string;
  filter?: StreamFilter;
  /** Where the first connection begins: `latest`, `earliest`, or a cursor. */
  from?: string;
  frames?: FrameStore;
  /** What part of the time that the server asks for it waits before it connects again. */
  patience?: number;
}

/**
 * A reader of the stream as EventSource is one, light enough for thousands in a process: it connects, and connects
 * again with its last id whenever the connection ends, and keeps a record of all that came.
 */
export class StreamReader {
  readonly record: ReaderRecord;
  /** Answers that were no stream: `status code`, and how often. */
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
  #done: Promise<void> | undefined;

  constructor(options: StreamReaderOptions) {
    this.#options = options;
    const { name, filter = {} } = options;
    this.record = { name, filter, connections: this.#connections, upTo: null };
  }

  start(): void {
    this.#done = this.#run();
  }

  /** Ends the connection, and the reader. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.cut();
    await this.#done;
  }

  /** The sequence that it has come to; -1 before it was told any. */
  get position(): number {
    return this.#lastId === undefined ? -1 : sequenceOf(this.#lastId);
  }

  /** Loses the connection without a word. */
  cut(): void {
    this.#request?.destroy();
  }

  /** Takes nothing more off the connection until `resume`. */
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
      const pause = this.#retryMs * (this.#options.patience ?? 1);
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  #url(): string {
    const { address, filter = {}, from = 'latest' } = this.#options;
    const start = from === 'latest' || from === 'earliest' ? { from } : { cursor: from };
    const fields = Object.entries(filter).map(([field, values]) => [field, values.join(',')] as const);
    return `${address()}/v1/stream?${new URLSearchParams({ ...Object.fromEntries(fields), ...start })}`;
  }

  /** Where a connection that is opened now begins. */
  #after(): number | null {
    if (this.#lastId !== undefined) return this.position;
    const { from = 'latest' } = this.#options;
    if (from === 'latest') return null;
    return from === 'earliest' ? 0 : sequenceOf(from);
  }

  /** Resolves when the connection is over, or did not come about. */
  #connect(): Promise<void> {
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
    response.on('data', (text: string) => {
      body += text;
    });
    response.on('end', () => {
      const name = `${response.statusCode} ${/"code":"(\w+)"/.exec(body)?.[1] ?? ''}`;
      this.refusals.set(name, (this.refusals.get(name) ?? 0) + 1);
    });
  }
}
