import type { Socket } from 'node:net';
import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import { repeat } from '../../service/repeat.ts';
import {
  type ConnectionName,
  nameConnection,
  type SocketEnds,
  type WaitingBytes,
} from '../wire/tcp-table.ts';
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

interface Stream {
  end(ending: StreamEnding): void;
  /** Tells that the client has taken a part of what the kernel holds for it. */
  noteTaken(): void;
}

/** A stream that is watched. It is a class to save memory: thousands of streams are open at a time. */
export class WatchedStream {
  readonly connection: ConnectionName | null;
  /** Since when its client has acknowledged nothing, in milliseconds; null if it does. */
  silentSince: number | null = null;
  /** Whether it counts among those that its account may have open. */
  #hasPlace = true;
  /** Whether its place is being given up or taken. */
  #isMoving = false;
  #waitingBytes = 0;
  readonly #stream: Stream;
  readonly #socket: SocketEnds & Pick<Socket, 'resetAndDestroy'>;
  readonly #place: StreamPlace;

  constructor(stream: Stream, socket: SocketEnds & Pick<Socket, 'resetAndDestroy'>, place: StreamPlace) {
    this.#stream = stream;
    this.#socket = socket;
    this.#place = place;
    this.connection = nameConnection(socket);
  }

  /** @param bytes those that wait for the client in the kernel now */
  noteWaiting(bytes: number): void {
    if (bytes < this.#waitingBytes) this.#stream.noteTaken();
    this.#waitingBytes = bytes;
  }

  /** Ends the stream. The connection is reset, so that the kernel does not try to deliver the rest. */
  vanish(): void {
    this.#stream.end({ vanished: true });
    this.#socket.resetAndDestroy();
  }

  /** Gives up the stream's place, if it has one. */
  yield(): void {
    if (this.#hasPlace) this.#move(false, () => this.#place.release());
  }

  /** Takes a place again, if it has none. Ends the stream if all places are taken. */
  reclaim(): void {
    if (this.#hasPlace) return;
    this.#move(true, async () => {
      if (!(await this.#place.reclaim())) this.#stream.end({ reconnect: 'displaced' });
    });
  }

  /** A stream never gives up and takes a place at the same time: a later look repeats what this leaves out. */
  #move(hasPlace: boolean, work: () => Promise<void>): void {
    if (this.#isMoving) return;
    this.#hasPlace = hasPlace;
    this.#isMoving = true;
    work().finally(() => {
      this.#isMoving = false;
    });
  }
}

export interface VanishedClientsOptions {
  clock: Clock;
  /** Finds the connections whose clients have not acknowledged everything. */
  readWaiting: () => Promise<ReadonlyMap<ConnectionName, Pick<WaitingBytes, 'bytes' | 'unanswered'>>>;
}

/**
 * Ends the streams of clients that have vanished without a word, as a phone does that changes networks: their kernels
 * do not acknowledge heartbeats any more. Without this, such a stream keeps its place until this machine's kernel gives
 * up, after a quarter of an hour.
 *
 * A stream gives up its place three seconds after its first lost heartbeat, so that its client can come back through any
 * gateway. If the client acknowledges again after all, the stream takes a place again or ends. It ends after 40 seconds
 * of silence. A client behind a proxy is the proxy's to watch, because the proxy acknowledges.
 *
 * The same look tells streams whose clients read slowly that they do read.
 */
export class VanishedClients {
  readonly #clock: Clock;
  readonly #readWaiting: VanishedClientsOptions['readWaiting'];
  readonly #streams = new Set<WatchedStream>();
  #looking: Stoppable | undefined;

  constructor({ clock, readWaiting }: VanishedClientsOptions) {
    this.#clock = clock;
    this.#readWaiting = readWaiting;
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
    const all = await this.#readWaiting();
    const now = this.#clock.now();
    for (const stream of this.#streams) {
      const waiting = stream.connection === null ? undefined : all.get(stream.connection);
      stream.noteWaiting(waiting?.bytes ?? 0);
      if (!waiting?.unanswered) {
        stream.silentSince = null;
        stream.reclaim();
        continue;
      }
      stream.silentSince ??= now;
      const silentMs = now - stream.silentSince;
      if (silentMs >= SILENT_MS) stream.yield();
      if (silentMs < VANISHED_MS) continue;
      this.#streams.delete(stream);
      stream.vanish();
    }
  }
}
