import { describe, expect, test } from '@jest/globals';
import type { StreamEnding } from '../../../gateway/delivery/stream-ending.ts';
import { VanishedClients, WatchedStream } from '../../../gateway/delivery/vanished-clients.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';

const SECOND = 1000;

/** Streams on connections that a test cuts. */
function watch() {
  const clock = new ManualClock();
  const waiting = new Map<string, { bytes: number; unanswered: boolean }>();
  let reads = 0;
  const clients = new VanishedClients({
    clock,
    async readWaiting() {
      reads += 1;
      return new Map(waiting);
    },
  });
  clients.start();
  let port = 40_000;
  const open = () => {
    port += 1;
    const endings: StreamEnding[] = [];
    const done = { reset: false, places: [] as string[], taken: 0 };
    let isTaken = false;
    let held: Promise<void> | undefined;
    const ends = { localAddress: '127.0.0.1', localPort: 80, remoteAddress: '127.0.0.1', remotePort: port };
    const socket = {
      ...ends,
      resetAndDestroy() {
        done.reset = true;
        return this as never;
      },
    };
    const controlled = {
      end: (ending: StreamEnding) => endings.push(ending),
      noteTaken: () => {
        done.taken += 1;
      },
    };
    const stream = new WatchedStream(controlled, socket, {
      async release() {
        await held;
        done.places.push('released');
      },
      async reclaim() {
        done.places.push('reclaimed');
        return !isTaken;
      },
    });
    const close = clients.add(stream);
    const { connection } = stream;
    return {
      endings,
      done,
      close,
      vanish: () => waiting.set(`${connection}`, { bytes: 8, unanswered: true }),
      mend: () => waiting.delete(`${connection}`),
      leave: (bytes: number) => waiting.set(`${connection}`, { bytes, unanswered: false }),
      takePlace: () => {
        isTaken = true;
      },
      /** Lets a release take until the returned function is called. */
      holdRelease: () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        held = promise;
        return resolve;
      },
    };
  };
  return { clock, clients, open, reads: () => reads };
}

describe('a stream whose client does not acknowledge', () => {
  test('ends after 40 seconds, and its connection is reset', async () => {
    const { clock, open } = watch();
    const [stream, other] = [open(), open()];
    await clock.advance(SECOND);
    stream.vanish();
    await clock.advance(40 * SECOND);
    expect(stream.endings).toEqual([]);
    await clock.advance(3 * SECOND);
    expect(stream.endings).toEqual([{ vanished: true }]);
    expect(stream.done.reset).toBe(true);
    expect([other.endings, other.done.reset]).toEqual([[], false]);
  });

  test('continues if its client acknowledges again, and has 40 seconds the next time', async () => {
    const { clock, open } = watch();
    const stream = open();
    for (let outage = 0; outage < 5; outage += 1) {
      stream.vanish();
      await clock.advance(38 * SECOND);
      stream.mend();
      await clock.advance(2 * SECOND);
    }
    expect(stream.endings).toEqual([]);
  });

  test('keeps its place through silences that are short, however many', async () => {
    const { clock, open } = watch();
    const stream = open();
    for (let outage = 0; outage < 20; outage += 1) {
      stream.vanish();
      await clock.advance(2 * SECOND);
      stream.mend();
      await clock.advance(2 * SECOND);
    }
    expect([stream.done.places, stream.endings]).toEqual([[], []]);
  });

  test('gives up its place three seconds after the first lost heartbeat, once', async () => {
    const { clock, open } = watch();
    const [stream, other] = [open(), open()];
    await clock.advance(10 * SECOND);
    stream.vanish();
    await clock.advance(4 * SECOND);
    expect(stream.done.places).toEqual([]);
    await clock.advance(30 * SECOND);
    expect([stream.done.places, stream.endings]).toEqual([['released'], []]);
    expect(other.done.places).toEqual([]);
  });

  test('takes a place again when its client acknowledges, each time', async () => {
    const { clock, open } = watch();
    const stream = open();
    for (let outage = 0; outage < 2; outage += 1) {
      stream.vanish();
      await clock.advance(10 * SECOND);
      stream.mend();
      await clock.advance(4 * SECOND);
    }
    expect(stream.done.places).toEqual(['released', 'reclaimed', 'released', 'reclaimed']);
    expect(stream.endings).toEqual([]);
  });

  test('INV-10: does not keep others from being looked at while a silent database holds its place', async () => {
    const { clock, open } = watch();
    const [stream, slow] = [open(), open()];
    stream.holdRelease();
    stream.vanish();
    slow.leave(100);
    await clock.advance(10 * SECOND);
    slow.leave(50);
    await clock.advance(40 * SECOND);
    expect(slow.done.taken).toBe(1);
    expect(stream.endings).toEqual([{ vanished: true }]);
  });

  test('has given up its place before it takes one again, however long that takes', async () => {
    const { clock, open } = watch();
    const stream = open();
    const finish = stream.holdRelease();
    stream.vanish();
    await clock.advance(10 * SECOND);
    stream.mend();
    await clock.advance(10 * SECOND);
    expect(stream.done.places).toEqual([]);
    finish();
    await settle();
    await clock.advance(2 * SECOND);
    expect(stream.done.places).toEqual(['released', 'reclaimed']);
  });

  test('ends when its client acknowledges again and another one has the place', async () => {
    const { clock, open } = watch();
    const stream = open();
    stream.vanish();
    await clock.advance(10 * SECOND);
    stream.takePlace();
    stream.mend();
    await clock.advance(2 * SECOND);
    expect(stream.endings).toEqual([{ reconnect: 'displaced' }]);
  });
});

test('a stream that has closed gives up nothing', async () => {
  const { clock, open } = watch();
  const [stream] = [open(), open()];
  stream.vanish();
  stream.close();
  await clock.advance(60 * SECOND);
  expect([stream.endings, stream.done.places]).toEqual([[], []]);
});

describe('the table of connections', () => {
  test('INV-15: is read once in two seconds, for any number of streams', async () => {
    const { clock, open, reads } = watch();
    for (let i = 0; i < 50; i += 1) open().vanish();
    await clock.advance(30 * SECOND);
    expect(reads()).toBe(15);
  });

  test('is not read without streams', async () => {
    const { clock, open, reads } = watch();
    open().close();
    await clock.advance(60 * SECOND);
    await settle();
    expect(reads()).toBe(0);
  });
});

test('a stream learns that its client reads, however slowly', async () => {
  const { clock, open } = watch();
  const stream = open();
  for (const [bytes, taken] of [
    [9000, 0],
    [9000, 0],
    [8999, 1],
    [9999, 1],
    [9998, 2],
  ] as const) {
    stream.leave(bytes);
    await clock.advance(2 * SECOND);
    expect(stream.done.taken).toBe(taken);
  }
  expect(stream.endings).toEqual([]);
});
