import type { Socket } from 'node:net';
import type { Clock } from '../../service/clock.ts';
import { Coalescer } from '../../service/coalescer.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import { repeat } from '../../service/repeat.ts';
import { type ConnectionName, nameConnection, type SocketEnds } from '../wire/tcp-table.ts';
import type { StreamEnding } from './stream-ending.ts';

/** A stream ends after its client has acknowledged nothing for this long, in milliseconds. */
const VANISHED_MS = 40_000;
/** How often all connections are looked at, in milliseconds. */
const LOOK_MS = 2000;
/** A look counts as fresh for this long, in milliseconds: clients that are refused cause no more looks than this. */
const FRESH_MS = 1000;

/** A stream that is watched. It is a class to save memory: thousands of streams are open at a time. */
export class WatchedStream {
  readonly accountId: number;
  readonly connection: ConnectionName | null;
  /** Since when its client has acknowledged nothing, in milliseconds; null if it does. */
  silentSince: number | null = null;
  readonly #stream: { end(ending: StreamEnding): void };
  readonly #socket: SocketEnds & Pick<Socket, 'resetAndDestroy'>;
  readonly #release: () => Promise<void>;

  constructor(
    stream: { end(ending: StreamEnding): void },
    socket: SocketEnds & Pick<Socket, 'resetAndDestroy'>,
    { accountId, release }: { accountId: number; release: () => Promise<void> },
  ) {
    this.#stream = stream;
    this.#socket = socket;
    this.#release = release;
    this.accountId = accountId;
    this.connection = nameConnection(socket);
  }

  /** Ends the stream. The connection is reset, so that the kernel does not try to deliver the rest. */
  vanish(): void {
    this.#stream.end({ vanished: true });
    this.#socket.resetAndDestroy();
  }

  /** Ends the stream, and gives its place to another one of the account. */
  displace(): Promise<void> {
    this.#stream.end({ reconnect: 'displaced' });
    return this.#release();
  }
}

export interface VanishedClientsOptions {
  clock: Clock;
  /** Finds the connections whose clients do not acknowledge. */
  readUnacknowledged: () => Promise<ReadonlySet<ConnectionName>>;
}

/**
 * Ends the streams of clients that have vanished without a word, as a phone does that changes networks: their kernels
 * do not acknowledge heartbeats any more. Without this, such a stream keeps its place until this machine's kernel gives
 * up, after a quarter of an hour.
 *
 * A new stream of an account at its limit displaces such a stream at once, if both reach the same gateway. Every gateway
 * ends its own after 40 seconds, which frees their places for all gateways. A client behind a proxy is the proxy's to
 * watch, because the proxy acknowledges.
 */
export class VanishedClients {
  readonly #clock: Clock;
  readonly #readUnacknowledged: VanishedClientsOptions['readUnacknowledged'];
  readonly #streams = new Set<WatchedStream>();
  readonly #looks = new Coalescer(() => this.#look());
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Stoppable | undefined;

  constructor({ clock, readUnacknowledged }: VanishedClientsOptions) {
    this.#clock = clock;
    this.#readUnacknowledged = readUnacknowledged;
  }

  start(): void {
    this.#looking = repeat(LOOK_MS, this.#clock, () => this.#looks.next());
  }

  async stop(): Promise<void> {
    await this.#looking?.stop();
  }

  /** Watches a stream. Returns a function that ends the watch. */
  add(stream: WatchedStream): () => void {
    this.#streams.add(stream);
    return () => this.#streams.delete(stream);
  }

  /**
   * Ends the stream of an account whose client has acknowledged nothing for the longest time, and releases its lease.
   * Returns false if the clients of all its streams on this gateway acknowledge.
   */
  async displace(accountId: number): Promise<boolean> {
    await this.#looks.next();
    const [longest] = [...this.#streams]
      .filter((stream) => stream.accountId === accountId && stream.silentSince !== null)
      .sort((a, b) => Number(a.silentSince) - Number(b.silentSince));
    if (!longest) return false;
    // Of several new streams at once, each displaces another one.
    this.#streams.delete(longest);
    await longest.displace();
    return true;
  }

  async #look(): Promise<void> {
    const now = this.#clock.now();
    if (this.#streams.size === 0 || now - this.#lookedAt < FRESH_MS) return;
    this.#lookedAt = now;
    const silent = await this.#readUnacknowledged();
    for (const stream of this.#streams) {
      if (stream.connection === null || !silent.has(stream.connection)) stream.silentSince = null;
      else if (stream.silentSince === null) stream.silentSince = now;
      else if (now - stream.silentSince >= VANISHED_MS) {
        this.#streams.delete(stream);
        stream.vanish();
      }
    }
  }
}
