import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readEvents } from '../../feed/read-events.ts';
import { laterPoint, type RenderedEvent } from '../../feed/rendered-event.ts';
import { type Change, changeCodec } from '../../schemas/change.ts';
import { renderFrame } from '../../schemas/event.ts';
import { createLog } from '../../service/log.ts';
import { change } from '../helpers/properties/arbitraries.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { eventsOf } from '../helpers/stream/create-event.ts';
import { renderEvent } from '../helpers/stream/render-event.ts';

const log = createLog('test', 'silent');
const [BASE] = fc.sample(change, { numRuns: 1, seed: 1 });
if (!BASE) throw new Error('no sample change was generated');

const frameOf = (of: Change) => renderFrame({ event: 'endorsement', id: of.id, data: renderEvent(of) });

/** The values of an event. */
const readAll = (event?: RenderedEvent) => ({
  ...{ sequence: event?.sequence, occurredAt: event?.occurredAt, id: event?.id, facets: event?.facets },
  ...{ frame: event?.frame.toString(), json: event?.json.toString() },
  memory: event?.memory,
});

describe('events created together', () => {
  test('have the frame, the JSON and the id of their change, for any length and characters', () => {
    const long = fc.tuple(change, fc.constantFrom('x', 'é', '☃', '🗳'), fc.constantFrom(1, 1000, 300_000));
    fc.assert(
      fc.property(fc.array(long, { maxLength: 5 }), (made) => {
        const changes = made.map(([of, text, times]) => ({
          ...of,
          epoch: 1,
          endorser: { ...of.endorser, name: text.repeat(times) },
        }));
        const events = eventsOf(changes);
        expect(events.map(({ frame }) => frame.toString())).toEqual(changes.map(frameOf));
        expect(events.map(({ json }) => json.toString())).toEqual(changes.map(renderEvent));
        expect(events.map(({ id }) => id)).toEqual(changes.map(({ id }) => id));
      }),
      { numRuns: 30 },
    );
  });

  test('count the bytes of their own frame, and something for the rest', () => {
    const changes = [BASE, { ...BASE, endorser: { ...BASE.endorser, name: 'x'.repeat(3000) } }, BASE];
    const rest = eventsOf(changes).map(({ bytes, frame }) => bytes - frame.length);
    expect(new Set(rest).size).toBe(1);
    expect(rest[0]).toBeGreaterThan(0);
  });

  test('are the same with memory of their own, and are copied for that once', () => {
    const changes = [BASE, { ...BASE, sequence: BASE.sequence + 1 }];
    const [, event] = eventsOf(changes);
    const alone = event?.detach();
    const { memory: _, ...own } = readAll(event);
    const { memory, ...detached } = readAll(alone);
    expect(detached).toEqual(own);
    expect(memory?.buffer.byteLength).toBe(event?.frame.length);
    expect(alone?.detach()).toBe(alone);
  });

  test('keep only their own bytes alive, not a block of the buffer pool', () => {
    const events = Array.from({ length: 20 }, () => {
      Buffer.from('another text, from the pool');
      return eventsOf([BASE])[0];
    });
    for (const event of events) expect(event?.frame.buffer.byteLength).toBe(event?.frame.length);
  });
});

test('records that cannot be decoded, have an impossible time or belong to another epoch are left out', () => {
  const good = [1, 2, 3].map((sequence) => {
    const endorser = { ...BASE.endorser, slug: `endorser-${sequence}` };
    return { ...BASE, sequence, endorser };
  });
  const values = [
    Buffer.from('no change'),
    ...good.slice(0, 2).map(changeCodec.encode),
    changeCodec.encode({ ...BASE, epoch: BASE.epoch + 1 }),
    changeCodec.encode({ ...BASE, occurred_at: 9_000_000_000_000_000 }),
    ...good.slice(2).map(changeCodec.encode),
  ];
  const records = values.map((value, offset) => ({ offset, value }));
  const { entriesAt: decoded, laterEpoch } = readEvents(records, BASE.epoch, log);
  expect(laterEpoch).toBe(BASE.epoch + 1);
  expect(decoded.map(({ offset, event }) => [offset, event.sequence])).toEqual([
    [1, 1],
    [2, 2],
    [5, 3],
  ]);
  expect(decoded.map(({ event }) => event.frame.toString())).toEqual(good.map(frameOf));
  expect(decoded.map(({ event }) => event.facets.endorsers)).toEqual(
    good.map(({ endorser }) => endorser.slug),
  );
});

test('records that cannot be decoded are counted, and logged with their place and reason', async () => {
  const { log: captured, lines } = captureLog();
  const before = await metricValue('feed_undecodable_records_total');
  const records = [
    { offset: 7, value: Buffer.from('no change') },
    { offset: 8, value: changeCodec.encode(BASE) },
    { offset: 9, value: null },
  ];
  expect(readEvents(records, BASE.epoch, captured).entriesAt).toHaveLength(1);
  expect(lines).toMatchObject([
    {
      offset: 7,
      reason: expect.stringContaining('C3 01'),
      msg: expect.stringContaining('cannot be decoded'),
    },
    { offset: 9, reason: expect.stringContaining('no value') },
  ]);
  expect((await metricValue('feed_undecodable_records_total')) - before).toBe(2);
});

describe('of a point of the feed and one of a client, the later', () => {
  const own = { sequence: 5, time: 50, offsets: [1] };

  test.each([
    ['is the feed’s if it follows a later change', { sequence: 4, time: 90, offsets: [2] }, own],
    ['is the client’s if it follows a later change', { sequence: 6, time: 10, offsets: [2] }, null],
    ['is the feed’s if both follow the same change', { sequence: 5, time: 40, offsets: [2] }, own],
    [
      'has the feed’s offsets and the later time',
      { sequence: 5, time: 60, offsets: [2] },
      { ...own, time: 60 },
    ],
  ])('%s', (_, clients, expected) => {
    expect(laterPoint(own, clients)).toEqual(expected ?? clients);
  });

  test('is the feed’s own point if the times are equal, so that readers share a delivery', () => {
    expect(laterPoint(own, { ...own, offsets: [2] })).toBe(own);
  });
});
