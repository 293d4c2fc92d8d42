import { describe, expect, test } from '@jest/globals';
import type { StreamEnding } from '../../../gateway/delivery/stream-ending.ts';
import { VanishedClients, WatchedStream } from '../../../gateway/delivery/vanished-clients.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';

const SECOND = 1000;

/** Streams on connections that a test cuts. */
function watch() {
  const clock = new ManualClock();
  const cut = new Set<string>();
  let reads = 0;
  const clients = new VanishedClients({
    clock,
    async readUnacknowledged() {
      reads += 1;
      return new Set(cut);
    },
  });
  clients.start();
  let port = 40_000;
  const open = (accountId = 1) => {
    port += 1;
    const endings: StreamEnding[] = [];
    const done = { reset: false, released: false };
    const ends = { localAddress: '127.0.0.1', localPort: 80, remoteAddress: '127.0.0.1', remotePort: port };
    const socket = {
      ...ends,
      resetAndDestroy() {
        done.reset = true;
        return this as never;
      },
    };
    const release = async () => {
      done.released = true;
    };
    const stream = new WatchedStream({ end: (ending) => endings.push(ending) }, socket, {
      accountId,
      release,
    });
    const close = clients.add(stream);
    const { connection } = stream;
    return {
      endings,
      done,
      close,
      vanish: () => cut.add(`${connection}`),
      mend: () => cut.delete(`${connection}`),
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

  test('gives its place to a new stream of its account', async () => {
    const { clock, clients, open } = watch();
    const stream = open();
    await clock.advance(10 * SECOND);
    stream.vanish();
    await clock.advance(SECOND);
    expect(await clients.displace(1)).toBe(true);
    expect(stream.endings).toEqual([{ reconnect: 'displaced' }]);
    expect(stream.done).toEqual({ reset: false, released: true });
  });
});

describe('a new stream displaces', () => {
  test('no stream whose client acknowledges', async () => {
    const { clock, clients, open } = watch();
    const streams = [open(), open()];
    await clock.advance(60 * SECOND);
    expect(await clients.displace(1)).toBe(false);
    expect(streams.flatMap(({ endings }) => endings)).toEqual([]);
  });

  test('no stream of another account, and none that has closed', async () => {
    const { clock, clients, open } = watch();
    const [others, closed] = [open(2), open(1)];
    others.vanish();
    closed.vanish();
    closed.close();
    await clock.advance(2 * SECOND);
    expect(await clients.displace(1)).toBe(false);
    expect([...others.endings, ...closed.endings]).toEqual([]);
  });

  test('the one that has been silent for longest; several displace several', async () => {
    const { clock, clients, open } = watch();
    const [second, first, live] = [open(), open(), open()];
    first.vanish();
    await clock.advance(6 * SECOND);
    second.vanish();
    await clock.advance(6 * SECOND);
    expect(await clients.displace(1)).toBe(true);
    expect([first.endings.length, second.endings.length]).toEqual([1, 0]);
    expect(await Promise.all([clients.displace(1), clients.displace(1)])).toEqual([true, false]);
    expect([second.endings.length, live.endings.length]).toEqual([1, 0]);
  });
});

describe('the table of connections', () => {
  test('INV-15: is read at most once a second, for any number of refused streams', async () => {
    const { clock, clients, open, reads } = watch();
    for (let i = 0; i < 5; i += 1) open();
    await clock.advance(3 * SECOND);
    const before = reads();
    for (let i = 0; i < 50; i += 1) await clients.displace(1);
    expect(reads() - before).toBe(1);
  });

  test('is not read without streams', async () => {
    const { clock, clients, open, reads } = watch();
    open().close();
    await clock.advance(60 * SECOND);
    await clients.displace(1);
    await settle();
    expect(reads()).toBe(0);
  });
});
