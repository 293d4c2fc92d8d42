import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { collectBatch, renderMessage } from '../../../consumers/deliver/collect-batch.ts';
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../../../domain/webhooks/batch-cut.ts';
import { Delivery } from '../../../feed/fan-out.ts';
import type { RenderedEvent, ResumePoint } from '../../../feed/rendered-event.ts';
import { collectGarbage } from '../../helpers/collect-garbage.ts';
import { createChange, eventsOf } from '../../helpers/stream/create-event.ts';

const pointAt = (sequence: number): ResumePoint => ({ sequence, time: sequence, offsets: [sequence] });

/** The event of a change, with JSON of this many bytes. */
function eventAt(sequence: number, bytes = 20): RenderedEvent {
  const json = JSON.stringify({ n: sequence, x: 'é' }).padEnd(bytes - 1);
  const event = {
    resumePoint: pointAt(sequence),
    jsonLength: Buffer.byteLength(json),
    copyJson: (target: Buffer, at: number) => at + target.write(json, at),
    detach() {
      return this;
    },
  };
  return event as unknown as RenderedEvent;
}

/** A stream of changes, read in chunks; some changes match. @param sizes bytes of each change's event; 0 if it does not match */
function readerOf(sizes: readonly number[], chunk = 7) {
  let reads = 0;
  const read = async ({ sequence }: ResumePoint) => {
    reads += 1;
    const end = Math.min(sizes.length, sequence + chunk);
    const events: RenderedEvent[] = [];
    for (let next = sequence + 1; next <= end; next += 1) {
      const bytes = sizes[next - 1] ?? 0;
      if (bytes > 0) events.push(eventAt(next, bytes));
    }
    return new Delivery(events, pointAt(end));
  };
  return { read, count: () => reads };
}
const sequencesOf = (events: readonly RenderedEvent[]) =>
  events.map(({ resumePoint }) => resumePoint.sequence);

describe('a batch', () => {
  test('has what matches up to the end, and ends after all changes that were examined', async () => {
    const { events, end } = await collectBatch(readerOf([20, 0, 20, 0, 0, 0, 0, 0, 0]), pointAt(0));
    expect([sequencesOf(events), end]).toEqual([[1, 3], pointAt(9)]);
    const none = await collectBatch(readerOf([0, 0, 0]), pointAt(1));
    expect([none.events, none.end]).toEqual([[], pointAt(3)]);
    const again = await collectBatch(readerOf([0, 0, 0]), pointAt(3));
    expect([again.events, again.end]).toEqual([[], pointAt(3)]);
  });

  test('that is full ends after its last event, so that the next one begins with the event that did not fit', async () => {
    const reader = readerOf([...Array(MAX_BATCH_EVENTS + 1).fill(20), 0]);
    const { events, end } = await collectBatch(reader, pointAt(0));
    expect([events.length, end]).toEqual([MAX_BATCH_EVENTS, pointAt(MAX_BATCH_EVENTS)]);
    const next = await collectBatch(reader, end);
    expect([sequencesOf(next.events), next.end]).toEqual([
      [MAX_BATCH_EVENTS + 1],
      pointAt(MAX_BATCH_EVENTS + 2),
    ]);
    const large = await collectBatch(readerOf([100_000, 100_000, 100_000, 0]), pointAt(0));
    expect([sequencesOf(large.events), large.end]).toEqual([[1, 2], pointAt(2)]);
  });

  test('that is full exactly is not held back for further changes', async () => {
    const reader = readerOf([MAX_BATCH_BYTES - 1, 0, 20], 1);
    const { events, end } = await collectBatch(reader, pointAt(0));
    expect([events.length, end, reader.count()]).toEqual([1, pointAt(1), 1]);
  });

  test('INV-15: keeps its events while it reads on, and nothing that was rendered with them', async () => {
    const changes = [1, 2].map((sequence) => createChange({ sequence }));
    const readOn = Promise.withResolvers<Delivery>();
    let memory: WeakRef<Buffer> | undefined;
    const read = async ({ sequence }: ResumePoint) => {
      if (sequence > 0) return readOn.promise;
      const [first] = eventsOf(changes);
      memory = new WeakRef(first?.memory as Buffer);
      return new Delivery([first as RenderedEvent], pointAt(1));
    };
    const collected = collectBatch({ read }, pointAt(0));
    await collectGarbage();
    expect(memory?.deref()).toBeUndefined();
    readOn.resolve(new Delivery([], pointAt(1)));
    const { events } = await collected;
    expect(events.map(({ id }) => id)).toEqual([changes[0]?.id]);
  });

  test('with rare matches is not held back for more than ten thousand changes', async () => {
    const sizes = Array(25_000).fill(0);
    sizes[4] = 20;
    const { events, end } = await collectBatch(readerOf(sizes, 1_000), pointAt(0));
    expect([sequencesOf(events), end]).toEqual([[5], pointAt(10_000)]);
  });

  test('follows another one without losing or repeating an event', async () => {
    const size = fc.constantFrom(0, 0, 20, 20, 90_000, MAX_BATCH_BYTES - 1, 2 * MAX_BATCH_BYTES);
    await fc.assert(
      fc.asyncProperty(
        fc.array(size, { maxLength: 300 }),
        fc.integer({ min: 1, max: 150 }),
        async (sizes, chunk) => {
          const reader = readerOf(sizes, chunk);
          const sent: number[] = [];
          let at = pointAt(0);
          while (at.sequence < sizes.length) {
            const { events, end } = await collectBatch(reader, at);
            expect(events.length).toBeLessThanOrEqual(MAX_BATCH_EVENTS);
            sent.push(...sequencesOf(events));
            at = end;
          }
          expect(sent).toEqual(sizes.flatMap((bytes, index) => (bytes > 0 ? [index + 1] : [])));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('fails with the error of its reader', async () => {
    const read = () => Promise.reject(new Error('away'));
    await expect(collectBatch({ read }, pointAt(0))).rejects.toThrow('away');
  });
});

test('a message has the time, the events in their order and the position after them', () => {
  const now = Date.parse('2026-11-03T12:00:00.500Z');
  const message = renderMessage(
    [1, 2, 30].map((sequence) => eventAt(sequence, 40)),
    'cursor-1',
    now,
  );
  expect(JSON.parse(message.toString())).toEqual({
    ...{ type: 'endorsements.changed', timestamp: '2026-11-03T12:00:00.500Z' },
    data: { events: [1, 2, 30].map((n) => ({ n, x: 'é' })), cursor: 'cursor-1' },
  });
  expect(JSON.parse(renderMessage([eventAt(7)], 'c', now).toString()).data.events).toEqual([
    { n: 7, x: 'é' },
  ]);
});
