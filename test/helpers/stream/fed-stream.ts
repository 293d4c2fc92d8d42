/** A stream of Server-Sent Events on a feed that the test fills, without a server. */
import { PassThrough } from 'node:stream';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { StreamFilter } from '../../../domain/stream-filter.ts';
import { type Delivery, FanOut } from '../../../feed/fan-out.ts';
import type { Feed } from '../../../feed/feed.ts';
import { FeedReader } from '../../../feed/reader.ts';
import type { Chunk, RenderedEvent, ResumePoint } from '../../../feed/rendered-event.ts';
import { EventStream } from '../../../gateway/delivery/sse.ts';
import { EventOutput } from '../../../gateway/wire/event-output.ts';
import type { StateCode } from '../../../schemas/vocabulary.ts';
import { captureLog } from '../service/captured-log.ts';
import { ManualClock } from '../service/manual-clock.ts';
import { createEvent } from './create-event.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** A feed to which the test appends events, or for which it sets a failure. */
export class FakeFeed {
  readonly #clock: ManualClock;
  readonly #events: RenderedEvent[] = [];
  readonly #fanOut = new FanOut();
  failure: Error | undefined;
  /** The reads that fail with it, counted from 1; all by default. */
  failing: readonly number[] | undefined;
  /** An error in making ids, which every frame except an endorsement needs. */
  broken: Error | undefined;
  reads = 0;
  /** Whether it has all changes in memory. */
  keepsAll = true;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  get epoch(): number {
    if (this.broken) throw this.broken;
    return 7;
  }

  get latest(): ResumePoint {
    const { length } = this.#events;
    return { sequence: length, time: this.#clock.now(), offsets: [length] };
  }

  /** The number of different filters of open readers. */
  get filters(): number {
    return this.#fanOut.size;
  }

  isRecent(sequence: number): boolean {
    return this.keepsAll || sequence >= this.latest.sequence;
  }

  append(state: StateCode = 'CA', count = 1): Delivery[] {
    return this.appendTogether(Array<StateCode>(count).fill(state));
  }

  /** Appends an event in each of these states, all at once. @returns the deliveries to waiting readers */
  appendTogether(states: readonly StateCode[]): Delivery[] {
    const { length } = this.#events;
    const occurredAt = this.#clock.now();
    const added = states.map((state, index) =>
      createEvent({ sequence: length + 1 + index, state, occurredAt }),
    );
    this.#events.push(...added);
    return this.#fanOut.publish(added, this.latest);
  }

  openReader(filter: StreamFilter, accountId: number): FeedReader {
    return new FeedReader(this, this.#fanOut, filter, accountId);
  }

  async read(resumePoint: ResumePoint): Promise<Chunk> {
    this.reads += 1;
    if (this.failure && (this.failing?.includes(this.reads) ?? true)) throw this.failure;
    const events = this.#events.slice(resumePoint.sequence, resumePoint.sequence + 1000);
    return { events, resumePoint: events.at(-1)?.resumePoint ?? this.latest };
  }
}

interface Setting {
  filter?: StreamFilter;
  accountId?: number;
  lifetimeMs?: number;
  random?: number;
  output?: PassThrough;
  /** The point at which the stream begins; by default the newest change. */
  start?: ResumePoint;
  /** The number of changes after the point at which the stream begins. */
  behind?: number;
  /** The number of changes that this gateway lacks before that point. */
  ahead?: number;
  /** Another stream, whose feed and clock it shares. */
  beside?: { feed: FakeFeed; clock: ManualClock };
  failure?: Error;
  /** The reads that fail with it, counted from 1; all by default. */
  failing?: readonly number[];
  /** The time for which an event stays readable, in milliseconds. */
  retentionMs?: number;
}

function createFeed() {
  const clock = new ManualClock();
  return { clock, feed: new FakeFeed(clock) };
}

/** Starts a stream on its own feed, with a clock that the test advances. The test calls `listen` to read it. */
export function startStream(setting: Setting = {}) {
  const { filter = {}, lifetimeMs = HOUR, random = 0, output = new PassThrough() } = setting;
  const { retentionMs = 7 * 24 * HOUR } = setting;
  const { clock, feed } = setting.beside ?? createFeed();
  const beginning = { ...feed.latest, sequence: feed.latest.sequence + (setting.ahead ?? 0) };
  feed.append('CA', setting.behind ?? 0);
  feed.failure = setting.failure;
  feed.failing = setting.failing;
  const events: EventSourceMessage[] = [];
  const comments: string[] = [];
  let text = '';
  const parser = createParser({ onEvent: (e) => events.push(e), onComment: (c) => comments.push(c) });
  const state = { ended: false };
  output.on('end', () => {
    state.ended = true;
  });
  const listen = () =>
    output.on('data', (bytes: Buffer) => {
      text += bytes;
      parser.feed(bytes.toString());
    });
  const captured = captureLog('info');
  const connection = { gzip: false, chunked: false, end: () => output.end() };
  const stream = new EventStream(new EventOutput(output, connection), feed as unknown as Feed, {
    start: setting.start ?? beginning,
    filter,
    accountId: setting.accountId ?? 1,
    ready: {},
    heartbeatMs: 20 * SECOND,
    lifetimeMs,
    retentionMs,
    clock,
    openLog: () => captured.log,
    random: () => random,
  });
  const done = stream.run();
  const kinds = () => events.map(({ event }) => event);
  const last = () => ({ ...events.at(-1), data: JSON.parse(events.at(-1)?.data ?? 'null') });
  return {
    clock,
    feed,
    end: stream.end.bind(stream),
    noteTaken: stream.noteTaken.bind(stream),
    changeFilter: stream.changeFilter.bind(stream),
    events,
    comments,
    kinds,
    last,
    listen,
    state,
    done,
    text: () => text,
    output,
    lines: captured.lines,
  };
}
