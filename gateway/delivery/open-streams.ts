import { Gauge } from 'prom-client';
import type { StreamFilter } from '../../domain/stream-filter.ts';
import type { Clock } from '../../service/clock.ts';
import type { ApiError } from '../http/api-error.ts';
import type { AccessWatch, WatchedReader } from './access-watch.ts';
import { SessionStreams } from './session-streams.ts';
import type { StreamEnding } from './stream-ending.ts';

/** The interval at which a draining gateway ends some of its streams, in milliseconds. */
const DRAIN_STEP_MS = 50;

const openStreamCount = new Gauge({
  name: 'streams_open',
  help: 'The number of open Server-Sent Events connections.',
});

/** The part of a stream that can be controlled. */
interface ControlledStream {
  end(ending: StreamEnding): void;
  changeFilter(filter: StreamFilter): void;
}

/** The access with which a stream's request was admitted. */
type StreamAccess = Pick<WatchedReader, 'credential' | 'subscription' | 'lease'>;

/** A watched stream. It is a class to save memory: thousands of streams are open at a time. */
class OpenStream implements WatchedReader {
  readonly stream: ControlledStream;
  readonly credential: WatchedReader['credential'];
  subscription: WatchedReader['subscription'];
  readonly lease: WatchedReader['lease'];

  constructor(stream: ControlledStream, { credential, subscription, lease }: StreamAccess) {
    this.stream = stream;
    this.credential = credential;
    this.subscription = subscription;
    this.lease = lease;
  }

  refuse({ code, message }: ApiError): void {
    this.stream.end({ error: code, message });
  }

  loseSubscription(): void {
    this.stream.end({ reconnect: 'subscription_changed' });
  }

  loseLease(): void {
    this.stream.end({ reconnect: 'plan_changed' });
  }

  changeFilter(filter: StreamFilter): void {
    this.stream.changeFilter(filter);
  }
}

/** The open streams of a gateway. They are watched, and asked to reconnect when the gateway shuts down. */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  /** The places of streams without a lease. */
  readonly ofSessions = new SessionStreams();
  readonly #accessWatch: AccessWatch;
  readonly #clock: Clock;
  #isDraining = false;

  constructor({ accessWatch, clock }: { accessWatch: AccessWatch; clock: Clock }) {
    this.#accessWatch = accessWatch;
    this.#clock = clock;
  }

  /** Adds a stream and returns a function that removes it. While draining, the stream ends at once. */
  add(stream: ControlledStream, access: StreamAccess): () => void {
    const { credential } = access;
    const open = new OpenStream(stream, access);
    const leave = 'session' in credential ? this.ofSessions.enter(credential, stream) : () => {};
    this.#accessWatch.add(open);
    this.#streams.add(open);
    if (this.#isDraining) stream.end({ reconnect: 'shutdown' });
    openStreamCount.set(this.#streams.size);
    return () => {
      leave();
      this.#accessWatch.remove(open);
      this.#streams.delete(open);
      openStreamCount.set(this.#streams.size);
    };
  }

  get count(): number {
    return this.#streams.size;
  }

  /** Asks every stream to reconnect, spread over `ms`, so that not all clients reach another gateway at once. */
  async drain(ms: number): Promise<void> {
    this.#isDraining = true;
    const never = new AbortController().signal;
    const leaving = [...this.#streams];
    const steps = Math.max(1, Math.floor(ms / DRAIN_STEP_MS));
    const perStep = Math.ceil(leaving.length / steps);
    while (leaving.length > 0) {
      for (const { stream } of leaving.splice(0, perStep)) stream.end({ reconnect: 'shutdown' });
      if (leaving.length > 0) await this.#clock.wait(DRAIN_STEP_MS, never);
    }
  }
}
