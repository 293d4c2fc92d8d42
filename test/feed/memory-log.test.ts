import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MemoryLog } from '../../feed/memory-log.ts';
import type { RenderedEvent } from '../../feed/rendered-event.ts';
import { collectGarbage } from '../helpers/collect-garbage.ts';
import { change } from '../helpers/properties/arbitraries.ts';
import { eventsOf } from '../helpers/stream/create-event.ts';

const [BASE] = fc.sample(change, { numRuns: 1, seed: 1 });
if (!BASE) throw new Error('no sample change was generated');

/** An event whose text is longer than the shortest by this many characters. */
const eventOf = (sequence: number, extra = 0): RenderedEvent =>
  eventsOf([
    { ...BASE, sequence, id: 'x', endorser: { ...BASE.endorser, name: 'x'.repeat(extra) } },
  ])[0] as RenderedEvent;
const SIZE = eventOf(1).bytes;
const events = (first: number, count: number) => Array.from({ length: count }, (_, i) => eventOf(first + i));
const read = (log: MemoryLog, after: number, limit = 1000) =>
  log.read(after, limit)?.map(({ sequence }) => sequence);

const append = fc.record({ sizes: fc.array(fc.nat(3000), { maxLength: 8 }) });

test('holds the newest events within its bytes, like an array that is cut at its front', () => {
  const batches = fc.array(append, { maxLength: 20 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.nat(20 * SIZE), batches, (first, maxBytes, made) => {
      const log = new MemoryLog(maxBytes);
      let next = first;
      let model: RenderedEvent[] = [];
      for (const { sizes } of made) {
        const batch = sizes.map((extra, index) => eventOf(next + index, extra));
        next += batch.length;
        log.append(batch);
        model = [...model, ...batch];
        while (model.length > 1 && model.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) model.shift();

        expect(log.firstSequence).toBe(model[0]?.sequence);
        const oldest = model[0]?.sequence ?? Number.POSITIVE_INFINITY;
        const kept = model.map(({ sequence }) => sequence);
        const places = Array.from({ length: next - first + 3 }, (_, index) => first - 1 + index);
        expect(places.map((after) => read(log, after, 3))).toEqual(
          places.map((after) =>
            after + 1 < oldest ? undefined : kept.filter((sequence) => sequence > after).slice(0, 3),
          ),
        );
      }
    }),
  );
});

test('INV-10: holds nothing before the first event', () => {
  const log = new MemoryLog(10 * SIZE);
  expect([log.firstSequence, log.read(0, 10)]).toEqual([undefined, undefined]);
});

test('INV-10: reading before the oldest event returns undefined, never a gap', () => {
  const log = new MemoryLog(3 * SIZE);
  log.append(events(10, 5));
  expect(log.firstSequence).toBe(12);
  expect(read(log, 10)).toBeUndefined();
  expect(read(log, 11)).toEqual([12, 13, 14]);
});

test('reading at the end or beyond returns nothing yet', () => {
  const log = new MemoryLog(10 * SIZE);
  log.append(events(1, 3));
  expect([read(log, 2), read(log, 3), read(log, 7)]).toEqual([[3], [], []]);
});

test('a read ends at its limit', () => {
  const log = new MemoryLog(10 * SIZE);
  log.append(events(1, 5));
  expect([read(log, 1, 2), read(log, 1, 0)]).toEqual([[2, 3], []]);
});

test('the newest event is kept at any size', () => {
  const log = new MemoryLog(2 * SIZE);
  log.append(events(1, 2));
  log.append([eventOf(3, 100_000)]);
  expect([log.firstSequence, read(log, 2)]).toEqual([3, [3]]);
});

test('INV-15: what it drops is freed, and takes no more memory than what it holds', async () => {
  const log = new MemoryLog(10 * SIZE);
  const added: WeakRef<RenderedEvent>[] = [];
  for (let sequence = 1; sequence <= 1_000; sequence += 1) {
    const event = eventOf(sequence);
    added.push(new WeakRef(event));
    log.append([event]);
  }
  await collectGarbage();
  expect(read(log, 990)).toHaveLength(10);
  expect(added.filter((event) => event.deref()).length).toBeLessThanOrEqual(20);
});

test('INV-7: a cleared log is empty, and has as much room as before', () => {
  const log = new MemoryLog(3 * SIZE);
  log.append(events(1, 5));
  log.clear();
  expect([log.firstSequence, log.read(4, 10)]).toEqual([undefined, undefined]);
  log.append(events(8, 3));
  expect([log.firstSequence, read(log, 6), read(log, 7)]).toEqual([8, undefined, [8, 9, 10]]);
});
