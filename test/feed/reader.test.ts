import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createPredicate, type StreamFilter } from '../../domain/stream-filter.ts';
import { Delivery, FanOut } from '../../feed/fan-out.ts';
import { FeedReader } from '../../feed/reader.ts';
import type { Chunk, RenderedEvent, ResumePoint } from '../../feed/rendered-event.ts';
import type { StateCode } from '../../schemas/vocabulary.ts';
import { settle } from '../helpers/service/manual-clock.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { createEvent } from '../helpers/stream/create-event.ts';

const STATES: StateCode[] = ['CA', 'OR', 'WA'];

/** A log in memory that readers can wait for. */
class Log {
  readonly events: RenderedEvent[] = [];
  readonly fanOut = new FanOut();

  get latest(): ResumePoint {
    return { sequence: this.events.length, time: this.events.length, offsets: [] };
  }

  async read({ sequence }: ResumePoint): Promise<Chunk> {
    const events = this.events.slice(sequence, sequence + 3);
    return { events, resumePoint: events.at(-1)?.resumePoint ?? this.latest };
  }

  append(states: StateCode[]): void {
    const added = states.map((state, index) =>
      createEvent({ sequence: this.events.length + 1 + index, state }),
    );
    this.events.push(...added);
    this.fanOut.publish(added, this.latest);
  }
}

/** A client that reads until its reader is closed. */
class Client {
  readonly received: number[] = [];
  readonly reader: FeedReader;
  resumePoint: ResumePoint;

  constructor(log: Log, filter: StreamFilter, start: ResumePoint) {
    this.reader = new FeedReader(log, log.fanOut, filter, 1);
    this.resumePoint = start;
  }

  async run(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      const { events, resumePoint } = await this.reader.next(this.resumePoint);
      this.received.push(...events.map(({ sequence }) => sequence));
      this.resumePoint = resumePoint;
    }
  }
}

const filter: fc.Arbitrary<StreamFilter> = fc.record({ states: fc.subarray(STATES) }, { requiredKeys: [] });
const batch = fc.array(fc.constantFrom(...STATES), { minLength: 1, maxLength: 5 });

test('INV-7, INV-10: whenever readers begin, wait or lag, each gets exactly its matching changes, in order, once', async () => {
  const clients = fc.array(fc.record({ filter, joins: fc.nat(10), rests: fc.nat(10) }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 10 }), clients, async (batches, wanted) => {
      const log = new Log();
      const running: Client[] = [];
      const starts: number[] = [];
      const join = async (turn: number) => {
        for (const each of wanted.filter(({ joins }) => joins === turn)) {
          starts.push(log.latest.sequence);
          const client = new Client(log, each.filter, log.latest);
          running.push(client);
          // It reads for some turns, pauses while its socket is full, and then continues.
          void client
            .run(each.rests)
            .then(settle)
            .then(() => client.run(1000));
        }
      };
      for (const [turn, states] of batches.entries()) {
        await join(turn);
        log.append(states);
        if (turn % 2 === 0) await settle();
      }
      for (let i = 0; i < 20; i += 1) await settle();
      for (const [index, client] of running.entries()) {
        const joined = wanted.toSorted((a, b) => a.joins - b.joins)[index];
        const matches = createPredicate(joined?.filter ?? {});
        const after = log.events.filter(({ sequence }) => sequence > (starts[index] ?? 0));
        const expected = after.filter(({ facets }) => matches(facets)).map(({ sequence }) => sequence);
        expect(client.received).toEqual(expected);
        client.reader.close();
      }
      expect(log.fanOut.size).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('a waiting reader that leaves a filter gets none of its changes, although others keep the filter', async () => {
  const log = new Log();
  const clients = [0, 1].map(() => new Client(log, { states: ['CA'] }, log.latest));
  for (const client of clients) void client.run(10);
  clients[0]?.reader.changeFilter({ states: ['OR'] });
  for (const state of ['CA', 'OR', 'CA'] as const) {
    log.append([state]);
    await settle();
  }
  expect(clients.map(({ received }) => received)).toEqual([[2], [1, 3]]);
  for (const { reader } of clients) reader.close();
  expect(log.fanOut.size).toBe(0);
});

test('filters that match equally many changes, from the same first to the same last, share no delivery', async () => {
  const log = new Log();
  const filters: StreamFilter[] = [{ states: ['CA', 'OR'] }, { states: ['CA', 'WA'] }];
  const clients = filters.map((each) => new Client(log, each, log.latest));
  for (const client of clients) void client.run(10);
  log.append(['CA', 'OR', 'WA', 'CA']);
  await settle();
  expect(clients.map(({ received }) => received)).toEqual([
    [1, 2, 4],
    [1, 3, 4],
  ]);
  for (const { reader } of clients) reader.close();
});

test('INV-10: no change is compared with a filter after its last reader has left', () => {
  const log = new Log();
  const audience = log.fanOut.join({ states: ['CA'] });
  log.fanOut.leave(audience);
  let deliveries = 0;
  audience.listeners.add(() => {
    deliveries += 1;
    return true;
  });
  log.append(['CA']);
  expect(deliveries).toBe(0);
});

test('the filters in use are shown also while nothing changes', async () => {
  const log = new Log();
  const states: StateCode[] = ['CA', 'OR', 'CA'];
  const readers = states.map((state) => new FeedReader(log, log.fanOut, { states: [state] }, 1));
  expect(await metricValue('feed_filters')).toBe(2);
  for (const reader of readers) reader.close();
  expect(await metricValue('feed_filters')).toBe(0);
});

test('INV-11: readers with equal filters share one delivery and its bytes', async () => {
  const log = new Log();
  const readers = [{ states: ['CA', 'OR'] }, { states: ['OR', 'CA'] }].map(
    (each) => new FeedReader(log, log.fanOut, each, 1),
  );
  expect(log.fanOut.size).toBe(1);
  const waiting = readers.map((reader) => reader.next(log.latest));
  log.append(['WA', 'CA', 'OR']);
  const [first, second] = await Promise.all(waiting);
  expect(first).toBe(second);
  expect(first?.frames).toBe(second?.frames);
  expect(first?.frames.plain.toString()).toBe(
    log.events
      .slice(1)
      .map(({ frame }) => frame.toString())
      .join(''),
  );
});

test('INV-11: readers with different filters that the same changes pass share one delivery', async () => {
  const log = new Log();
  const filters: StreamFilter[] = [{ states: ['CA'] }, { states: ['CA', 'NV'] }, { states: ['OR', 'CA'] }];
  const waiting = filters.map((each) => new FeedReader(log, log.fanOut, each, 1).next(log.latest));
  log.append(['WA', 'CA', 'OR', 'CA']);
  const [first, second, third] = await Promise.all(waiting);
  expect(first).toBe(second);
  expect(first?.events.map(({ sequence }) => sequence)).toEqual([2, 4]);
  expect(third?.events.map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
});

test.each<[string, [StateCode[], StateCode[]], [number[], number[]]]>([
  [
    'begin',
    [
      ['CA', 'OR'],
      ['CA', 'WA'],
    ],
    [
      [1, 2],
      [1, 3],
    ],
  ],
  [
    'end',
    [
      ['CA', 'WA'],
      ['OR', 'WA'],
    ],
    [
      [1, 3],
      [2, 3],
    ],
  ],
])(
  'readers whose deliveries %s with the same change, and are as long, each get their own',
  async (_, of, expected) => {
    const log = new Log();
    const waiting = of.map((states) => new FeedReader(log, log.fanOut, { states }, 1).next(log.latest));
    log.append(['CA', 'OR', 'WA']);
    const got = (await Promise.all(waiting)).map(({ events }) => events.map(({ sequence }) => sequence));
    expect(got).toEqual(expected);
  },
);

test('a reader that waits at the cursor of a gateway ahead gets nothing twice', async () => {
  const log = new Log();
  const reader = new FeedReader(log, log.fanOut, {}, 1);
  const next = reader.next({ sequence: 2, time: 0, offsets: [] });
  log.append(['CA', 'CA']);
  log.append(['CA', 'CA']);
  const { events, resumePoint } = await next;
  expect([events.map(({ sequence }) => sequence), resumePoint.sequence]).toEqual([[3, 4], 4]);
});

test('a closed reader stops waiting and leaves nothing behind', async () => {
  const log = new Log();
  const reader = new FeedReader(log, log.fanOut, { states: ['CA'] }, 1);
  const next = reader.next(log.latest);
  log.append(['OR']);
  reader.close();
  expect(await next).toMatchObject({ events: [], resumePoint: { sequence: 1 } });
  expect(log.fanOut.size).toBe(0);
});

test('a delivery that begins before the cursor of a waiting reader is cut to the changes after it', async () => {
  const log = new Log();
  const ahead = new FeedReader(log, log.fanOut, {}, 1);
  const next = ahead.next({ sequence: 1, time: 0, offsets: [] });
  log.append(['CA', 'OR', 'WA']);
  const { events, resumePoint } = await next;
  expect([events.map(({ sequence }) => sequence), resumePoint.sequence]).toEqual([[2, 3], 3]);
});

test('a reader knows whether it waits', async () => {
  const log = new Log();
  const reader = new FeedReader(log, log.fanOut, {}, 1);
  expect(reader.isWaiting).toBe(false);
  const next = reader.next(log.latest);
  expect(reader.isWaiting).toBe(true);
  log.append(['CA']);
  const { resumePoint } = await next;
  expect(reader.isWaiting).toBe(false);
  expect(log.fanOut.join({}).listeners.size).toBe(0);
  reader.next(resumePoint);
  reader.close();
  expect(reader.isWaiting).toBe(false);
});

describe('a reader whose filter is replaced', () => {
  test('while it waits, then waits for changes that pass only the new one', async () => {
    const log = new Log();
    const reader = new FeedReader(log, log.fanOut, { states: ['CA'] }, 1);
    const next = reader.next(log.latest);
    reader.changeFilter({ states: ['OR'] });
    expect(log.fanOut.size).toBe(1);
    log.append(['CA']);
    expect(reader.isWaiting).toBe(true);
    log.append(['OR']);
    expect((await next).events.map(({ sequence }) => sequence)).toEqual([2]);
  });

  test('before it reads, gets the changes that pass the new one', async () => {
    const log = new Log();
    const reader = new FeedReader(log, log.fanOut, { states: ['CA'] }, 1);
    reader.changeFilter({ states: ['OR'] });
    expect(log.fanOut.join({ states: ['OR'] }).listeners.size).toBe(0);
    log.append(['CA', 'OR']);
    const { events } = await reader.next({ sequence: 0, time: 0, offsets: [] });
    expect(events.map(({ sequence }) => sequence)).toEqual([2]);
  });

  test('after it was closed, stays closed', () => {
    const log = new Log();
    const reader = new FeedReader(log, log.fanOut, { states: ['CA'] }, 1);
    reader.close();
    reader.changeFilter({ states: ['OR'] });
    expect(log.fanOut.size).toBe(0);
  });
});

test('a closed reader leaves its place once, and the others of its filter keep theirs', async () => {
  const log = new Log();
  const [first, second, third] = [1, 2, 3].map(() => new FeedReader(log, log.fanOut, {}, 1)) as [
    FeedReader,
    FeedReader,
    FeedReader,
  ];
  const waiting = [second, third].map((reader) => reader.next(log.latest));
  first.close();
  first.close();
  second.close();
  second.close();
  expect(log.fanOut.join({}).listeners.size).toBe(1);
  log.append(['CA']);
  const [closed, open] = await Promise.all(waiting);
  expect([closed?.events.length, open?.events.length]).toEqual([0, 1]);
});

test('a closed reader reads after a given point, without waiting', async () => {
  const log = new Log();
  const reader = new FeedReader(log, log.fanOut, {}, 1);
  reader.close();
  expect(await reader.next(log.latest)).toMatchObject({ events: [] });
});

test('INV-7: an interruption makes all waiting readers look again from its point', async () => {
  const log = new Log();
  const readers = [{}, { states: ['CA'] }].map((each) => new FeedReader(log, log.fanOut, each, 1));
  const waiting = readers.map((reader) => reader.next(log.latest));
  log.fanOut.interrupt({ sequence: 0, time: 9, offsets: [4] });
  for (const delivery of await Promise.all(waiting)) {
    expect(delivery).toMatchObject({ events: [], resumePoint: { sequence: 0, time: 9 } });
  }
  expect(readers.map(({ isWaiting }) => isWaiting)).toEqual([false, false]);
});

test('the bytes of a delivery are those of its frames', async () => {
  const log = new Log();
  const next = new FeedReader(log, log.fanOut, {}, 1).next(log.latest);
  log.append(['CA', 'OR']);
  const delivery = await next;
  expect(delivery.bytes).toBe(delivery.frames.plain.length);
  expect(delivery.bytes).toBe(log.events.reduce((sum, { frame }) => sum + frame.length, 0));
});

describe('a reader that takes deliveries in the turn in which they arrive', () => {
  /** Reads with a function that takes deliveries. @returns the sequences that it was offered, and the wait */
  function take(log: Log, rest: (offer: number) => Delivery | undefined, reader = openOn(log)) {
    const offered: number[][] = [];
    const waiting = reader.next(log.latest, ({ events }) => {
      offered.push(events.map(({ sequence }) => sequence));
      return rest(offered.length);
    });
    return { offered, waiting, reader };
  }
  const openOn = (log: Log) => new FeedReader(log, log.fanOut, {}, 1);

  test('waits on while it takes all of them, and returns the rest of the first one that it does not', async () => {
    const log = new Log();
    const rest = new Delivery([], { sequence: 2, time: 2, offsets: [] });
    const { offered, waiting, reader } = take(log, (offer) => (offer === 2 ? rest : undefined));
    log.append(['CA']);
    expect(reader.isWaiting).toBe(true);
    log.append(['OR']);
    log.append(['WA']);
    expect(await waiting).toBe(rest);
    expect([offered, reader.isWaiting]).toEqual([[[1], [2]], false]);
    reader.close();
  });

  test('is offered no delivery without a change', async () => {
    const log = new Log();
    const { offered, waiting, reader } = take(log, () => undefined);
    log.fanOut.interrupt(log.latest);
    expect((await waiting).events).toEqual([]);
    expect(offered).toEqual([]);
    reader.close();
  });

  test('and fails gets its error, and the other readers of its filter the delivery', async () => {
    const log = new Log();
    const failing = take(log, () => {
      throw new Error('no socket');
    });
    const other = take(log, () => undefined);
    log.append(['CA']);
    await expect(failing.waiting).rejects.toThrow('no socket');
    expect([other.offered, other.reader.isWaiting]).toEqual([[[1]], true]);
    failing.reader.close();
    other.reader.close();
  });
});

test('INV-3: a reader ahead of its gateway keeps its place when it is interrupted', async () => {
  const log = new Log();
  const reader = new FeedReader(log, log.fanOut, {}, 1);
  const waiting = reader.next({ sequence: 5, time: 5, offsets: [] });
  log.fanOut.interrupt(log.latest);
  expect((await waiting).resumePoint.sequence).toBe(5);
  reader.close();
});
