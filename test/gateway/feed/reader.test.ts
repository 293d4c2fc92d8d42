import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createPredicate, type StreamFilter } from '../../../domain/stream-filter.ts';
import type { Chunk, LogEntry, ResumePoint } from '../../../gateway/feed/entry.ts';
import { FanOut } from '../../../gateway/feed/fan-out.ts';
import { FeedReader } from '../../../gateway/feed/reader.ts';
import type { StateCode } from '../../../schemas/vocabulary.ts';
import { createEntry } from '../../helpers/log-entry.ts';
import { settle } from '../../helpers/manual-clock.ts';

const STATES: StateCode[] = ['CA', 'OR', 'WA'];

/** A log in memory that readers can wait for. */
class Log {
  readonly entries: LogEntry[] = [];
  readonly fanOut = new FanOut();

  get latest(): ResumePoint {
    return { sequence: this.entries.length, time: this.entries.length, offsets: [] };
  }

  async read({ sequence }: ResumePoint): Promise<Chunk> {
    const entries = this.entries.slice(sequence, sequence + 3);
    return { entries, resumePoint: entries.at(-1)?.resumePoint ?? this.latest };
  }

  append(states: StateCode[]): void {
    const added = states.map((state, index) =>
      createEntry({ sequence: this.entries.length + 1 + index, state }),
    );
    this.entries.push(...added);
    this.fanOut.publish(added, this.latest);
  }
}

/** A client that reads until its reader is closed. */
class Client {
  readonly received: number[] = [];
  readonly reader: FeedReader;
  resumePoint: ResumePoint;

  constructor(log: Log, filter: StreamFilter, start: ResumePoint) {
    this.reader = new FeedReader(log, log.fanOut, filter);
    this.resumePoint = start;
  }

  async run(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      const { entries, resumePoint } = await this.reader.next(this.resumePoint);
      this.received.push(...entries.map(({ sequence }) => sequence));
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
        const after = log.entries.filter(({ sequence }) => sequence > (starts[index] ?? 0));
        const expected = after.filter(({ facets }) => matches(facets)).map(({ sequence }) => sequence);
        expect(client.received).toEqual(expected);
        client.reader.close();
      }
      expect(log.fanOut.size).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('INV-11: readers with equal filters share one delivery and its bytes', async () => {
  const log = new Log();
  const readers = [{ states: ['CA', 'OR'] }, { states: ['OR', 'CA'] }].map(
    (each) => new FeedReader(log, log.fanOut, each),
  );
  expect(log.fanOut.size).toBe(1);
  const waiting = readers.map((reader) => reader.next(log.latest));
  log.append(['WA', 'CA', 'OR']);
  const [first, second] = await Promise.all(waiting);
  expect(first).toBe(second);
  expect(first?.frames).toBe(second?.frames);
  expect(first?.frames.toString()).toBe(
    log.entries
      .slice(1)
      .map(({ frame }) => frame.toString())
      .join(''),
  );
});

test('a reader that waits at a cursor of a gateway that is ahead gets nothing twice', async () => {
  const log = new Log();
  const reader = new FeedReader(log, log.fanOut, {});
  const next = reader.next({ sequence: 2, time: 0, offsets: [] });
  log.append(['CA', 'CA']);
  log.append(['CA', 'CA']);
  const { entries, resumePoint } = await next;
  expect([entries.map(({ sequence }) => sequence), resumePoint.sequence]).toEqual([[3, 4], 4]);
});

test('a closed reader stops waiting and leaves nothing behind', async () => {
  const log = new Log();
  const reader = new FeedReader(log, log.fanOut, { states: ['CA'] });
  const next = reader.next(log.latest);
  log.append(['OR']);
  reader.close();
  expect(await next).toMatchObject({ entries: [], resumePoint: { sequence: 1 } });
  expect(log.fanOut.size).toBe(0);
});
