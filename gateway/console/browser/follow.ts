import { type Circumstances, decideNext, type Ending, type NextStep, readRefusal } from './reconnect.ts';
import { type Block, SseParser } from './sse-parser.ts';

/** The state of a follower that a page shows. */
export type FollowState = { kind: 'connecting' | 'connected' | 'paused' } | NextStep;

export interface FollowOptions {
  /** The address of the stream, with the filter and the start. */
  url: string;
  /** A connection counts as dead after this much silence, in milliseconds. */
  silenceMs: number;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Resolves after a time in milliseconds, or when the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  onState: (state: FollowState) => void;
  /** Receives each block as it comes. */
  onBlock: (block: Block) => void;
  /** Receives the JSON of each change once. */
  onChange: (json: string) => void;
}

/** The wait until the service names another one, in milliseconds. */
const FIRST_RETRY_MS = 2000;

/**
 * Follows a stream across connections. It continues after the last received id, so every event arrives exactly once.
 */
export class Follower {
  readonly #options: FollowOptions;
  #circumstances: Circumstances = { retryMs: FIRST_RETRY_MS, failures: 0 };
  /** Aborts when the follower pauses. */
  #running: AbortController | null = null;
  #lastId: string | null = null;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** The cursor after everything received; null before the first event. */
  get lastId(): string | null {
    return this.#lastId;
  }

  /** Whether it is connected, or waits to connect. False after a pause or a permanent error. */
  get isFollowing(): boolean {
    return this.#running !== null;
  }

  /** Begins, or continues after the last id. Does nothing if it already follows. */
  start(): void {
    if (this.#running) return;
    this.#running = new AbortController();
    this.#run(this.#running.signal);
  }

  /** Closes the connection, which then no longer counts as an open stream. */
  pause(): void {
    if (!this.#running) return;
    this.#running.abort();
    this.#running = null;
    this.#options.onState({ kind: 'paused' });
  }

  async #run(paused: AbortSignal): Promise<void> {
    const { onState, wait } = this.#options;
    while (!paused.aborted) {
      onState({ kind: 'connecting' });
      const ending = await this.#connect(paused);
      if (paused.aborted) return;
      const next = decideNext(ending, this.#circumstances);
      this.#circumstances.failures += 1;
      onState(next);
      if (next.kind === 'stop') {
        this.#running = null;
        return;
      }
      await wait(next.waitMs, paused);
    }
  }

  /** Reads one connection to its end. Never rejects. */
  async #connect(paused: AbortSignal): Promise<Ending> {
    const { url, fetch, silenceMs } = this.#options;
    const closing = new AbortController();
    const listen = () => setTimeout(() => closing.abort(), silenceMs);
    let timer = listen();
    try {
      const response = await fetch(url, {
        headers: this.#lastId === null ? {} : { 'Last-Event-ID': this.#lastId },
        cache: 'no-store',
        signal: AbortSignal.any([paused, closing.signal]),
      });
      if (!response.ok || !response.body) {
        return readRefusal(response.status, response.headers.get('Retry-After'), await response.text());
      }
      const parser = new SseParser();
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        // Ignores everything that arrives after a pause: the next connection begins after the last id.
        if (done || paused.aborted) return { kind: 'closed', retryMs: null };
        clearTimeout(timer);
        timer = listen();
        for (const block of parser.push(value)) {
          const ending = this.#take(block);
          if (ending) return ending;
        }
      }
    } catch {
      return { kind: 'lost' };
    } finally {
      clearTimeout(timer);
      closing.abort();
    }
  }

  /** Takes a block in. @returns the announced ending, or null */
  #take(block: Block): Ending | null {
    const { onBlock, onChange, onState } = this.#options;
    const { event, data, id, retryMs } = block;
    // As plain text, ids sort in the order of the stream.
    const isRepeat = id !== null && this.#lastId !== null && id <= this.#lastId;
    if (retryMs !== null) this.#circumstances.retryMs = retryMs;
    if (event === 'ready') {
      this.#circumstances.failures = 0;
      onState({ kind: 'connected' });
    }
    onBlock(block);
    if (event === 'endorsement' && data !== null && !isRepeat) onChange(data);
    if (id !== null && !isRepeat) this.#lastId = id;
    if (event === 'reconnect') return { kind: 'closed', retryMs: readRetry(data) };
    return event === 'error' ? readRefusal(null, null, data ?? '') : null;
  }
}

/** The `retry_ms` of a reconnect event; null if it has none. */
function readRetry(data: string | null): number | null {
  try {
    const { retry_ms } = JSON.parse(data ?? '');
    return typeof retry_ms === 'number' ? retry_ms : null;
  } catch {
    return null;
  }
}
