import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { StreamFilter } from '../../../domain/stream-filter.ts';
import { EventStream } from '../../../gateway/delivery/sse.ts';
import type { StreamEnding } from '../../../gateway/delivery/stream-ending.ts';
import type { Chunk, LogEntry, ResumePoint } from '../../../gateway/feed/entry.ts';
import { FanOut } from '../../../gateway/feed/fan-out.ts';
import { type Feed, StreamGapError } from '../../../gateway/feed/feed.ts';
import { FeedReader } from '../../../gateway/feed/reader.ts';
import { parseCursor } from '../../../schemas/cursor.ts';
import type { StateCode } from '../../../schemas/vocabulary.ts';
import { KafkaUnavailableError } from '../../../service/failure.ts';
import { captureLog } from '../../helpers/captured-log.ts';
import { createEntry } from '../../helpers/log-entry.ts';
import { ManualClock, settle } from '../../helpers/manual-clock.ts';
import { metricValue } from '../../helpers/metrics.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A feed of entries that the test appends to, or a failure that it sets. */
class FakeFeed {
  readonly #clock: ManualClock;
  readonly #entries: LogEntry[] = [];
  readonly #fanOut = new FanOut();
  failure: Error | undefined;
  /** An error of making ids, which every frame but an endorsement needs. */
  broken: Error | undefined;
  reads = 0;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  get epoch(): number {
    if (this.broken) throw this.broken;
    return 7;
  }

  get latest(): ResumePoint {
    return { sequence: this.#entries.length, time: this.#clock.now(), offsets: [0] };
  }

  append(state: StateCode = 'CA', count = 1): void {
    const { length } = this.#entries;
    const occurredAt = this.#clock.now();
    const added = Array.from({ length: count }, (_, i) =>
      createEntry({ sequence: length + 1 + i, state, occurredAt }),
    );
    this.#entries.push(...added);
    this.#fanOut.publish(added, this.latest);
  }

  openReader(filter: StreamFilter): FeedReader {
    return new FeedReader(this, this.#fanOut, filter);
  }

  async read(resumePoint: ResumePoint): Promise<Chunk> {
    this.reads += 1;
    if (this.failure) throw this.failure;
    const entries = this.#entries.slice(resumePoint.sequence, resumePoint.sequence + 1000);
    return { entries, resumePoint: entries.at(-1)?.resumePoint ?? this.latest };
  }
}

interface Setting {
  filter?: StreamFilter;
  lifetimeMs?: number;
  random?: number;
  output?: PassThrough;
  /** The number of changes after the point at which the stream begins. */
  behind?: number;
  failure?: Error;
}

function start(setting: Setting = {}) {
  const { filter = {}, lifetimeMs = HOUR, random = 0, output = new PassThrough() } = setting;
  const clock = new ManualClock();
  const feed = new FakeFeed(clock);
  const beginning = feed.latest;
  feed.append('CA', setting.behind ?? 0);
  feed.failure = setting.failure;
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
  const stream = new EventStream(output, feed as unknown as Feed, {
    start: beginning,
    filter,
    ready: {},
    heartbeatMs: 20 * SECOND,
    lifetimeMs,
    retentionMs: 7 * 24 * HOUR,
    clock,
    log: captured.log,
    random: () => random,
  });
  const done = stream.run();
  const kinds = () => events.map(({ event }) => event);
  const last = () => ({ ...events.at(-1), data: JSON.parse(events.at(-1)?.data ?? 'null') });
  return {
    clock,
    feed,
    end: stream.end.bind(stream),
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

describe('a stream of Server-Sent Events', () => {
  test('sends a ping every heartbeat', async () => {
    const stream = start();
    stream.listen();
    await stream.clock.advance(MINUTE);
    expect(stream.comments).toEqual([' ping', ' ping', ' ping'].map((c) => c.trim()));
  });

  test('sends one checkpoint at the next heartbeat after changes that did not match', async () => {
    const stream = start({ filter: { states: ['CA'] } });
    stream.listen();
    stream.feed.append('OR', 3);
    await stream.clock.advance(MINUTE);
    expect(stream.kinds()).toEqual(['ready', 'checkpoint']);
    expect(stream.last()).toMatchObject({ data: { scanned: 3 } });
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(3);
  });

  test('sends no checkpoint for a position that an event has given', async () => {
    const stream = start({ filter: { states: ['CA'] } });
    stream.listen();
    stream.feed.append('OR');
    stream.feed.append('CA');
    await stream.clock.advance(MINUTE);
    expect(stream.kinds()).toEqual(['ready', 'endorsement']);
  });

  test('INV-5: on a silent stream, a checkpoint every hour advances the time of the cursor', async () => {
    const stream = start({ lifetimeMs: 10 * HOUR });
    stream.listen();
    const before = stream.clock.now();
    await stream.clock.advance(3 * HOUR + MINUTE);
    expect(stream.kinds()).toEqual(['ready', 'checkpoint', 'checkpoint', 'checkpoint']);
    expect(parseCursor(stream.last().id ?? '').time).toBe(before + 3 * HOUR);
  });

  test.each([
    [0, HOUR],
    [1, 0.95 * HOUR],
  ])('with jitter %d sends reconnect after its lifetime and ends', async (random, lifetime) => {
    const stream = start({ random });
    stream.listen();
    await stream.clock.advance(lifetime - 1);
    expect(stream.kinds()).not.toContain('reconnect');
    await stream.clock.advance(1);
    expect(stream.last()).toMatchObject({
      event: 'reconnect',
      data: { reason: 'lifetime', retry_ms: random === 0 ? 1000 : 5000 },
    });
    await stream.done;
    expect(stream.state.ended).toBe(true);
  });

  test('sends reconnect with its cursor when it is ended', async () => {
    const stream = start();
    stream.listen();
    stream.feed.append('CA', 2);
    await settle();
    stream.end({ reconnect: 'shutdown' });
    await stream.done;
    expect(stream.kinds()).toEqual(['ready', 'endorsement', 'endorsement', 'reconnect']);
    expect(stream.last()).toMatchObject({ data: { reason: 'shutdown' } });
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(2);
  });

  test('INV-10: reads nothing for a client that reads nothing, and continues from there when it does', async () => {
    const stream = start({ output: new PassThrough({ highWaterMark: 1024 }) });
    stream.feed.append('CA', 5000);
    await settle();
    const { reads } = stream.feed;
    const held = stream.output.readableLength + stream.output.writableLength;
    await stream.clock.advance(MINUTE);
    expect(stream.feed.reads).toBe(reads);
    expect(stream.output.readableLength + stream.output.writableLength).toBe(held);
    expect(held).toBeLessThan(200_000);
    stream.listen();
    for (let i = 0; i < 200 && stream.events.length < 5001; i += 1) await settle();
    const sequences = stream.events.slice(1).map(({ id = '' }) => parseCursor(id).sequence);
    expect(sequences).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1));
  });

  test('asks a client that reads nothing for minutes to reconnect', async () => {
    const stream = start({ output: new PassThrough({ highWaterMark: 1024 }) });
    stream.feed.append('CA', 500);
    await settle();
    await stream.clock.advance(3 * MINUTE);
    await stream.done;
    stream.listen();
    for (let i = 0; i < 50 && !stream.state.ended; i += 1) await settle();
    expect(stream.last()).toMatchObject({ event: 'reconnect', data: { reason: 'slow_consumer' } });
  });

  test('stays open while Kafka does not answer, and resumes by itself', async () => {
    const stream = start({ behind: 1, failure: new KafkaUnavailableError('no broker') });
    stream.listen();
    await stream.clock.advance(30 * SECOND);
    expect(stream.kinds()).toEqual(['ready']);
    expect(stream.comments).toHaveLength(1);
    stream.feed.failure = undefined;
    await stream.clock.advance(2 * SECOND);
    expect(stream.kinds()).toEqual(['ready', 'endorsement']);
  });

  test('INV-7: ends with an error exactly before a lost change', async () => {
    const stream = start({ behind: 1, failure: new StreamGapError(1) });
    stream.listen();
    await stream.done;
    expect(stream.last()).toMatchObject({ event: 'error', data: { code: 'cursor_expired' } });
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(0);
    expect(stream.text()).toContain('/v1/endorsements');
  });

  test('counts in a checkpoint only the changes since the last event', async () => {
    const stream = start({ filter: { states: ['CA'] } });
    stream.listen();
    stream.feed.append('CA');
    stream.feed.append('OR', 2);
    await stream.clock.advance(MINUTE);
    expect(stream.kinds()).toEqual(['ready', 'endorsement', 'checkpoint']);
    expect(stream.last()).toMatchObject({ data: { scanned: 2 } });
  });

  test('applies a changed filter to the changes that follow', async () => {
    const stream = start({ filter: { states: ['CA'] } });
    stream.listen();
    stream.feed.append('OR');
    await settle();
    stream.changeFilter({ states: ['OR'] });
    stream.feed.append('CA');
    stream.feed.append('OR');
    await settle();
    const [, event] = stream.events;
    expect(stream.kinds()).toEqual(['ready', 'endorsement']);
    expect(parseCursor(event?.id ?? '').sequence).toBe(3);
  });

  test('ends with an error that gives the reason', async () => {
    const stream = start();
    stream.listen();
    stream.feed.append();
    await settle();
    stream.end({ error: 'revoked_api_key', message: 'This API key was revoked.' });
    await stream.done;
    expect(stream.last()).toMatchObject({
      event: 'error',
      data: { code: 'revoked_api_key', message: 'This API key was revoked.' },
    });
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(1);
    await settle();
    expect(stream.state.ended).toBe(true);
  });

  test('writes nothing more to a client that has disconnected', async () => {
    const stream = start();
    stream.listen();
    await settle();
    stream.end({ gone: true });
    await stream.done;
    stream.feed.append();
    await stream.clock.advance(HOUR);
    expect(stream.kinds()).toEqual(['ready']);
  });
});

describe('the end of a stream', () => {
  test.each<[string, StreamEnding]>([
    ['lifetime', { reconnect: 'lifetime' }],
    ['shutdown', { reconnect: 'shutdown' }],
    ['subscription_changed', { reconnect: 'subscription_changed' }],
    ['client_closed', { gone: true }],
    ['key_revoked', { error: 'revoked_api_key', message: '' }],
    ['key_expired', { error: 'expired_api_key', message: '' }],
    ['account_suspended', { error: 'account_suspended', message: '' }],
  ])('is logged and counted once, by its reason: %s', async (reason, ending) => {
    const before = await metricValue('streams_ended_total', { reason });
    const stream = start();
    stream.listen();
    stream.feed.append('CA', 2);
    await stream.clock.advance(90 * SECOND);
    stream.end(ending);
    stream.end({ reconnect: 'shutdown' });
    await stream.done;
    expect(stream.lines).toEqual([
      expect.objectContaining({ level: 'info', msg: 'a stream ended', reason, seconds: 90, delivered: 2 }),
    ]);
    expect(await metricValue('streams_ended_total', { reason })).toBe(before + 1);
  });

  test('after a defect in reading is an error event', async () => {
    const stream = start({ behind: 1, failure: new TypeError('injected') });
    stream.listen();
    await stream.done;
    await settle();
    expect(stream.kinds()).toEqual(['ready', 'error']);
    expect(stream.last().data.code).toBe('internal_error');
    expect(stream.state.ended).toBe(true);
    expect(stream.lines.map(({ level, reason }) => [level, reason])).toEqual([
      ['error', undefined],
      ['info', 'defect'],
    ]);
  });

  test('after a defect that leaves no id for a last frame is clean all the same, and reported', async () => {
    const before = await metricValue('defects_total', { where: 'stream' });
    const stream = start();
    stream.listen();
    await settle();
    stream.feed.append();
    stream.feed.broken = new TypeError('injected');
    stream.end({ reconnect: 'shutdown' });
    await stream.done;
    await settle();
    expect(stream.state.ended).toBe(true);
    expect(stream.lines.at(-1)).toMatchObject({ msg: 'a stream ended', reason: 'shutdown' });
    expect(await metricValue('defects_total', { where: 'stream' })).toBeGreaterThan(before);
  });

  test('after a defect in a heartbeat is clean and reported', async () => {
    const stream = start({ filter: { states: ['CA'] } });
    stream.listen();
    await settle();
    stream.feed.append('OR');
    stream.feed.broken = new TypeError('injected');
    await stream.clock.advance(20 * SECOND);
    await stream.done;
    expect(stream.lines[0]).toMatchObject({ level: 'error', where: 'stream' });
    expect(stream.lines.at(-1)).toMatchObject({ msg: 'a stream ended', reason: 'defect' });
    await settle();
    expect(stream.state.ended).toBe(true);
  });
});
