import { expect, test } from '@jest/globals';
import { Arrivals } from '../../feed/arrivals.ts';
import { Delivery } from '../../feed/fan-out.ts';
import { readRecords, splitBatches } from '../../kafka/protocol/record-batches.ts';
import { writeBatch } from '../../kafka/protocol/write-batch.ts';
import { formatChangeHeaders } from '../../schemas/record-headers.ts';
import { ManualClock, settle } from '../helpers/service/manual-clock.ts';
import { countObserved } from '../helpers/service/metrics.ts';
import { createEvent } from '../helpers/stream/create-event.ts';

test('a change is measured if a stream that waited for it has taken it, and not if all of them were full', async () => {
  const clock = new ManualClock();
  const arrivals = new Arrivals('changes', clock);
  const origin = { submittedAt: clock.now(), relayedAt: clock.now(), traceparent: null };
  const record = { key: 'bakers', value: Buffer.alloc(0), headers: formatChangeHeaders(origin) };
  const producer = { producerId: 1n, producerEpoch: 0, firstSequence: 0 };
  const records = [...splitBatches(writeBatch([record, record], producer, 0))].flatMap(readRecords);
  const events = [1, 2].map((sequence) => createEvent({ sequence }));
  arrivals.note(
    records,
    events.map((event, offset) => ({ event, offset })),
  );
  const [taken, refused] = events.map((event) => new Delivery([event], event.resumePoint));
  if (taken && refused) {
    taken.writes = 1;
    const before = await countObserved('stream_hop_seconds', { hop: 'write' });
    arrivals.published(events, [taken, refused]);
    await settle();
    expect(await countObserved('stream_hop_seconds', { hop: 'write' })).toBe(before + 1);
  }
});
