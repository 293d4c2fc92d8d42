import { PassThrough } from 'node:stream';
import { describe, expect, jest, test } from '@jest/globals';
import { StreamGapError } from '../../../feed/stream-gap-error.ts';
import { parseCursor } from '../../../schemas/cursor.ts';
import { KafkaUnavailableError } from '../../../service/failure.ts';
import { collectGarbage } from '../../helpers/collect-garbage.ts';
import { settle } from '../../helpers/service/manual-clock.ts';
import { MINUTE, SECOND, startStream } from '../../helpers/stream/fed-stream.ts';
import { until } from '../../helpers/until.ts';

describe('a stream of Server-Sent Events', () => {
  test('sends a ping every heartbeat', async () => {
    const stream = startStream();
    stream.listen();
    await stream.clock.advance(MINUTE);
    expect(stream.comments).toEqual([' ping', ' ping', ' ping'].map((c) => c.trim()));
  });

  test('sends pings again after one that a full socket could not take', async () => {
    const stream = startStream({ output: new PassThrough({ highWaterMark: 1024 }) });
    stream.feed.append('CA', 500);
    await settle();
    await stream.clock.advance(15 * SECOND);
    stream.noteTaken();
    await stream.clock.advance(15 * SECOND);
    stream.listen();
    for (let i = 0; i < 50 && stream.events.length < 501; i += 1) await settle();
    expect(stream.comments).toEqual([]);
    await stream.clock.advance(30 * SECOND);
    expect(stream.comments.length).toBeGreaterThan(0);
  });

  test('INV-10: reads nothing for a client that reads nothing, and continues from there when it does', async () => {
    const stream = startStream({ output: new PassThrough({ highWaterMark: 1024 }) });
    stream.feed.append('CA', 5000);
    await settle();
    const { reads } = stream.feed;
    const held = stream.output.readableLength + stream.output.writableLength;
    await stream.clock.advance(15 * SECOND);
    expect(stream.feed.reads).toBe(reads);
    expect(stream.output.readableLength + stream.output.writableLength).toBe(held);
    expect(held).toBeLessThan(200_000);
    stream.listen();
    for (let i = 0; i < 200 && stream.events.length < 5001; i += 1) await settle();
    const sequences = stream.events.slice(1).map(({ id = '' }) => parseCursor(id).sequence);
    expect(sequences).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1));
  });

  test('INV-10: lets go of the changes that a slow client does not take, and reads them again', async () => {
    const output = new PassThrough({ highWaterMark: 1024 });
    const failure = new KafkaUnavailableError('Kafka is away.');
    const stream = startStream({ behind: 2000, failure, failing: [1], output });
    const read = stream.feed.read.bind(stream.feed);
    let held: WeakRef<object> | undefined;
    stream.feed.read = async (point) => {
      const chunk = await read(point);
      held = new WeakRef(chunk.events);
      return chunk;
    };
    await settle();
    await stream.clock.advance(SECOND);
    await settle();
    expect(stream.feed.reads).toBe(2);
    await stream.clock.advance(2 * SECOND);
    await collectGarbage();
    expect(held?.deref()).toBeUndefined();
    stream.listen();
    for (let i = 0; i < 200 && stream.events.length < 2001; i += 1) await settle();
    const sequences = stream.events.slice(1).map(({ id = '' }) => parseCursor(id).sequence);
    expect(sequences).toEqual(Array.from({ length: 2000 }, (_, index) => index + 1));
  });

  test('INV-15: lets others have their turns while its client takes everything at once', async () => {
    const open = () => new PassThrough({ highWaterMark: 1e9 });
    const stream = startStream({ output: open() });
    const others = Array.from({ length: 9 }, () => startStream({ beside: stream, output: open() }));
    await settle();
    stream.feed.append('CA', 5000);
    await settle();
    const written = [stream, ...others].map(({ output }) => output.readableLength);
    // Each begins with a piece of 64 KB, and one of them writes in a turn.
    expect(written.reduce((sum, bytes) => sum + bytes)).toBeLessThan(14 * 70_000);
    for (const each of [stream, ...others]) each.listen();
    await until('all changes', () => others.every(({ events }) => events.length === 5001));
    expect(stream.text().length).toBeGreaterThan(1_000_000);
  });

  test('INV-15: takes turns with all streams of another account together', async () => {
    const open = () => new PassThrough({ highWaterMark: 1e9 });
    const stream = startStream({ output: open() });
    const others = Array.from({ length: 4 }, () =>
      startStream({ beside: stream, accountId: 2, output: open() }),
    );
    await settle();
    stream.feed.append('CA', 2000);
    stream.listen();
    let written = 0;
    stream.output.on('data', () => {
      if (stream.events.length > 2000)
        written ||= others.reduce((sum, { output }) => sum + output.readableLength, 0);
    });
    await until('all changes', () => written > 0);
    expect(written).toBeLessThan(2 * stream.text().length);
    for (const { listen } of others) listen();
    await until('all changes of the others', () => others.every(({ events }) => events.length === 2001));
  });

  describe('that reads older changes', () => {
    /** Streams of accounts that are 1,000 changes behind a feed that must read these anew. */
    function startBehind(
      accounts: readonly number[],
      output = () => new PassThrough({ highWaterMark: 1e9 }),
    ) {
      const source = startStream();
      const { feed } = source;
      feed.append('CA', 1000);
      feed.keepsAll = false;
      const start = { ...feed.latest, sequence: 0 };
      const reading = Promise.withResolvers<void>();
      const read = feed.read.bind(feed);
      feed.read = async (point) => {
        const chunk = await read(point);
        await reading.promise;
        return chunk;
      };
      const streams = accounts.map((accountId) =>
        startStream({ beside: source, accountId, output: output(), start }),
      );
      return { feed, streams, reads: () => feed.reads, answer: reading.resolve };
    }

    test('INV-15: holds them with few others at a time, and leaves turns for other accounts', async () => {
      const { streams, reads, answer } = startBehind([...Array(40).fill(1), 2, 3, 4, 5, 6, 2, 3, 4, 5, 6]);
      await settle();
      expect(reads()).toBe(12 + 4);
      for (const each of streams) each.listen();
      answer();
      await until('all changes', () => streams.every(({ events }) => events.length === 1001));
      expect(reads()).toBe(50);
    });

    test('INV-15: gives its turn to others if its client does not take them at once', async () => {
      const full = () => new PassThrough({ highWaterMark: 1024 });
      const { streams, reads, answer } = startBehind(Array(30).fill(1), full);
      answer();
      await settle();
      await settle();
      expect(reads()).toBe(30);
      for (const each of streams) each.listen();
      await until('all changes', () => streams.every(({ events }) => events.length === 1001));
    });

    test('ends at once while it waits for its turn', async () => {
      const { streams, feed, reads, answer } = startBehind(Array(20).fill(1));
      await settle();
      const last = streams.at(-1);
      last?.listen();
      last?.end({ reconnect: 'shutdown' });
      await last?.done;
      expect(last?.kinds()).toEqual(['ready', 'reconnect']);
      expect(last?.lines.map(({ msg }) => msg)).toEqual(['a stream ended']);
      for (const each of streams) each.end({ gone: true });
      answer();
      await Promise.all(streams.map(({ done }) => done));
      expect([reads(), feed.filters]).toEqual([12, 1]);
    });
  });

  test('INV-10: writes nothing more into a full socket when changes come one by one', async () => {
    const stream = startStream({ output: new PassThrough({ highWaterMark: 1024 }) });
    for (let count = 0; count < 100; count += 1) {
      stream.feed.append();
      await settle();
    }
    expect(stream.output.readableLength + stream.output.writableLength).toBeLessThan(10_000);
    stream.listen();
    for (let i = 0; i < 50 && stream.events.length < 101; i += 1) await settle();
    const sequences = stream.events.slice(1).map(({ id = '' }) => parseCursor(id).sequence);
    expect(sequences).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  test.each([1, 500])(
    'counts once among the streams that have taken a delivery of %d events',
    async (count) => {
      const stream = startStream();
      const streams = [stream, startStream({ beside: stream })];
      for (const { listen } of streams) listen();
      await settle();
      const deliveries = stream.feed.append('CA', count);
      await settle();
      expect(deliveries.map(({ writes }) => writes)).toEqual([2]);
    },
  );

  test('waits for its client after the last piece of a large delivery too', async () => {
    const stream = startStream({ output: new PassThrough({ highWaterMark: 1024 }) });
    await settle();
    stream.feed.append('CA', 200);
    await settle();
    stream.listen();
    stream.output.once('drain', () => stream.output.pause());
    await stream.clock.advance(15 * SECOND);
    expect(stream.events.length).toBeLessThan(201);
    stream.output.resume();
    for (let i = 0; i < 50 && stream.events.length < 201; i += 1) await settle();
    stream.feed.append();
    await settle();
    expect(stream.kinds()).toEqual(['ready', ...Array(201).fill('endorsement')]);
  });

  test('leaves no timer behind after its client has read on', async () => {
    const stream = startStream({ output: new PassThrough({ highWaterMark: 1024 }) });
    const wait = jest.spyOn(stream.clock, 'wait');
    stream.feed.append('CA', 500);
    await settle();
    stream.listen();
    for (let i = 0; i < 50 && stream.events.length < 501; i += 1) await settle();
    expect(wait.mock.calls.length).toBeGreaterThan(0);
    expect(wait.mock.calls.map(([, signal]) => signal.aborted)).not.toContain(false);
  });

  test('stays open while Kafka does not answer, and resumes by itself', async () => {
    const stream = startStream({ behind: 1, failure: new KafkaUnavailableError('no broker') });
    stream.listen();
    await stream.clock.advance(30 * SECOND);
    expect(stream.kinds()).toEqual(['ready']);
    expect(stream.comments).toHaveLength(1);
    stream.feed.failure = undefined;
    await stream.clock.advance(2 * SECOND);
    expect(stream.kinds()).toEqual(['ready', 'endorsement']);
  });

  test('reports each outage of Kafka once, however often it asks', async () => {
    const failure = new KafkaUnavailableError('no broker');
    const stream = startStream({ behind: 2500, failure, failing: [1, 2, 4, 5, 6] });
    stream.listen();
    for (let i = 0; i < 200 && stream.events.length < 2501; i += 1) await stream.clock.advance(100);
    expect(stream.kinds().filter((kind) => kind === 'endorsement')).toHaveLength(2500);
    expect(stream.lines.map(({ msg }) => msg.split(' (')[0])).toEqual(['a stream waits', 'a stream waits']);
  });

  test('INV-7: ends with an error exactly before a lost change', async () => {
    const stream = startStream({ behind: 1, failure: new StreamGapError(1) });
    stream.listen();
    await stream.done;
    expect(stream.last()).toMatchObject({ event: 'error', data: { code: 'cursor_expired' } });
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(0);
    expect(stream.text()).toContain('/v1/endorsements');
  });

  test('applies a changed filter to the changes that follow', async () => {
    const stream = startStream({ filter: { states: ['CA'] } });
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
});
