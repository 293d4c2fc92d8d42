import { expect, test } from '@jest/globals';
import { Arrivals } from '../../feed/arrivals.ts';
import { Delivery } from '../../feed/fan-out.ts';
import type { RenderedEvent } from '../../feed/rendered-event.ts';
import { readRecords, splitBatches } from '../../kafka/protocol/record-batches.ts';
import { writeBatch } from '../../kafka/protocol/write-batch.ts';
import { formatChangeHeaders } from '../../schemas/record-headers.ts';
import { ManualClock, settle } from '../helpers/service/manual-clock.ts';
import { countObserved } from '../helpers/service/metrics.ts';
import { createEvent } from '../helpers/stream/create-event.ts';

const clock = new ManualClock();
const origin = { submittedAt: clock.now(), relayedAt: clock.now(), traceparent: null };
const RECORD = { key: 'bakers', value: Buffer.alloc(0), headers: formatChangeHeaders(origin) };
const PRODUCER = { producerId: 1n, producerEpoch: 0, firstSequence: 0 };

/** Notes records, of which those from an offset on are decoded. @returns their events, and what publishes them */
function noteFrom(first: number, count: number) {
  const arrivals = new Arrivals('changes', clock);
  const bytes = writeBatch(Array<typeof RECORD>(count).fill(RECORD), PRODUCER, 0);
  const events = Array.from({ length: count - first }, (_, index) => createEvent({ sequence: index + 1 }));
  const note = () =>
    arrivals.note(
      [...splitBatches(bytes)].flatMap(readRecords),
      events.map((event, index) => ({ event, offset: first + index })),
    );
  note();
  const countMeasured = async (deliveries: readonly Delivery[]) => {
    const before = await countObserved('stream_hop_seconds', { hop: 'write' });
    arrivals.published(events, deliveries);
    await settle();
    return (await countObserved('stream_hop_seconds', { hop: 'write' })) - before;
  };
  return { events, note, countMeasured };
}

/** The delivery of an event, which so many streams have taken. */
function deliveryOf(event: RenderedEvent, writes: number): Delivery {
  const delivery = new Delivery([event], event.resumePoint);
  delivery.writes = writes;
  return delivery;
}

test('a change is measured if a stream that waited for it has taken it, and not if all of them were full', async () => {
  const { events, countMeasured } = noteFrom(0, 2);
  expect(await countMeasured(events.map((event, index) => deliveryOf(event, index)))).toBe(1);
});

test('changes after a record that cannot be decoded are measured', async () => {
  const { events, countMeasured } = noteFrom(1, 3);
  expect(await countMeasured(events.map((event) => deliveryOf(event, 1)))).toBe(2);
});

test('a change is measured once, although Kafka has it twice', async () => {
  const { events, note, countMeasured } = noteFrom(0, 2);
  const deliveries = events.map((event) => deliveryOf(event, 1));
  expect(await countMeasured(deliveries)).toBe(2);
  expect(await countMeasured(deliveries)).toBe(0);
  note();
  expect(await countMeasured(deliveries)).toBe(0);
});

test('a change that no stream waited for is not measured when a stream reads it later', async () => {
  const { events, countMeasured } = noteFrom(0, 1);
  expect(await countMeasured([])).toBe(0);
  expect(await countMeasured(events.map((event) => deliveryOf(event, 1)))).toBe(0);
});
