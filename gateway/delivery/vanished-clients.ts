import type { Socket } from 'node:net';
import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import { repeat } from '../../service/repeat.ts';
import { type ConnectionName, nameConnection, type SocketEnds } from '../wire/tcp-table.ts';
import type { StreamEnding } from './stream-ending.ts';

/** A stream ends after its client has acknowledged nothing for this long, in milliseconds. */
const VANISHED_MS = 40_000;
/** A stream gives up its place after its client has acknowledged nothing for this long, in milliseconds. */
const SILENT_MS = 3000;
/** How often all connections are looked at, in milliseconds. */
const LOOK_MS = 2000;

/** A stream's place among those that its account may have open. */
export interface StreamPlace {
  /** Gives up the place, on all gateways. */
  release(): Promise<void>;
  /** Takes a place again; false if the account has no free one. */
  reclaim(): Promise<boolean>;
}

/** A stream that is watched. It is a class to save memory: thousands of streams are open at a time. */
export class WatchedStream {
  readonly connection: ConnectionName | null;
  /** Since when its client has acknowledged nothing, in milliseconds; null if it does. */
  silentSince: number | null = null;
  /** Whether it counts among those that its account may have open. */
  hasPlace = true;
  readonly #stream: { end(ending: StreamEnding): void };
  readonly #socket: SocketEnds & Pick<Socket, 'resetAndDestroy'>;
  readonly #place: StreamPlace;

  constructor(
    stream: { end(ending: StreamEnding): void },
    socket: SocketEnds & Pick<Socket, 'resetAndDestroy'>,
    place: StreamPlace,
  ) {
    this.#stream = stream;
    this.#socket = socket;
    this.#place = place;
    this.connection = nameConnection(socket);
  }

  /** Ends the stream. The connection is reset, so that the kernel does not try to deliver the rest. */
  vanish(): void {
    this.#stream.end({ vanished: true });
    this.#socket.resetAndDestroy();
  }

  /** Gives up the stream's place. */
  async yield(): Promise<void> {
    this.hasPlace = false;
    await this.#place.release();
  }

  /** Takes a place again. Ends the stream if all places are taken. */
  async reclaim(): Promise<void> {
    this.hasPlace = true;
    if (!(await this.#place.reclaim())) this.#stream.end({ reconnect: 'displaced' });
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
 * A stream gives up its place three seconds after its first lost heartbeat, so that its client can come back through any
 * gateway. If the client acknowledges again after all, the stream takes a place again or ends. It ends after 40 seconds
 * of silence. A client behind a proxy is the proxy's to watch, because the proxy acknowledges.
 */
export class VanishedClients {
  readonly #clock: Clock;
  readonly #readUnacknowledged: VanishedClientsOptions['readUnacknowledged'];
  readonly #streams = new Set<WatchedStream>();
  #looking: Stoppable | undefined;

  constructor({ clock, readUnacknowledged }: VanishedClientsOptions) {
    this.#clock = clock;
    this.#readUnacknowledged = readUnacknowledged;
  }

  start(): void {
    this.#looking = repeat(LOOK_MS, this.#clock, () => this.#look());
  }

  async stop(): Promise<void> {
    await this.#looking?.stop();
  }

  /** Watches a stream. Returns a function that ends the watch. */
  add(stream: WatchedStream): () => void {
    this.#streams.add(stream);
    return () => this.#streams.delete(stream);
  }

  async #look(): Promise<void> {
    if (this.#streams.size === 0) return;
    const silent = await this.#readUnacknowledged();
    const now = this.#clock.now();
    const moves: Promise<void>[] = [];
    for (const stream of this.#streams) {
      if (stream.connection === null || !silent.has(stream.connection)) {
        stream.silentSince = null;
        if (!stream.hasPlace) moves.push(stream.reclaim());
        continue;
      }
      stream.silentSince ??= now;
      const silentMs = now - stream.silentSince;
      if (silentMs >= SILENT_MS && stream.hasPlace) moves.push(stream.yield());
      if (silentMs < VANISHED_MS) continue;
      this.#streams.delete(stream);
      stream.vanish();
    }
    // The next look waits, so that a stream never gives up and takes a place at the same time.
    await Promise.all(moves);
  }
}
