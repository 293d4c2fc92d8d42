import { describe, expect, test } from '@jest/globals';
import { parseCursor } from '../../../schemas/cursor.ts';
import { settle } from '../../helpers/service/manual-clock.ts';
import { HOUR, MINUTE, SECOND, startStream } from '../../helpers/stream/fed-stream.ts';

describe('a checkpoint', () => {
  test('sends one checkpoint at the next heartbeat after changes that did not match', async () => {
    const stream = startStream({ filter: { states: ['CA'] } });
    stream.listen();
    stream.feed.append('OR', 3);
    await stream.clock.advance(MINUTE);
    expect(stream.kinds()).toEqual(['ready', 'checkpoint']);
    expect(stream.last()).toMatchObject({ data: { scanned: 3 } });
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(3);
  });

  test('sends no checkpoint for a position that an event has sent', async () => {
    const stream = startStream({ filter: { states: ['CA'] } });
    stream.listen();
    stream.feed.append('OR');
    stream.feed.append('CA');
    await stream.clock.advance(MINUTE);
    expect(stream.kinds()).toEqual(['ready', 'endorsement']);
  });

  test('INV-5: on a silent stream, a checkpoint every hour advances the time of the cursor', async () => {
    const stream = startStream({ lifetimeMs: 10 * HOUR });
    stream.listen();
    const before = stream.clock.now();
    await stream.clock.advance(3 * HOUR + MINUTE);
    expect(stream.kinds()).toEqual(['ready', 'checkpoint', 'checkpoint', 'checkpoint']);
    const end = before + 3 * HOUR;
    expect(parseCursor(stream.last().id ?? '').time).toBe(end);
    expect(stream.last()).toMatchObject({ data: { occurred_at: new Date(end).toISOString(), scanned: 0 } });
  });

  test.each([
    ['ten minutes', 10 * MINUTE, 3],
    ['forty seconds', 40 * SECOND, 4],
  ])(
    'INV-5: on a silent stream comes four times in a window of %s, at heartbeats',
    async (_, retentionMs, count) => {
      const stream = startStream({ retentionMs });
      stream.listen();
      await stream.clock.advance(retentionMs);
      expect(stream.kinds()).toEqual(['ready', ...Array(count).fill('checkpoint')]);
    },
  );

  test('of a stream ahead of this gateway does not go back', async () => {
    const stream = startStream({ ahead: 3, lifetimeMs: 10 * HOUR });
    stream.listen();
    stream.feed.append();
    await stream.clock.advance(HOUR + MINUTE);
    expect(stream.events.map(({ event, id }) => [event, parseCursor(id ?? '').sequence])).toEqual([
      ['ready', 3],
      ['checkpoint', 3],
    ]);
  });

  test('is not sent for the time alone while events are', async () => {
    const stream = startStream({ lifetimeMs: 10 * HOUR });
    stream.listen();
    for (let event = 0; event < 3; event += 1) {
      await stream.clock.advance(50 * MINUTE);
      stream.feed.append();
      await settle();
    }
    expect(stream.kinds()).toEqual(['ready', 'endorsement', 'endorsement', 'endorsement']);
  });

  test('counts in a checkpoint only the changes since the last event', async () => {
    const stream = startStream({ filter: { states: ['CA'] } });
    stream.listen();
    stream.feed.append('CA');
    stream.feed.append('OR', 2);
    await stream.clock.advance(MINUTE);
    expect(stream.kinds()).toEqual(['ready', 'endorsement', 'checkpoint']);
    expect(stream.last()).toMatchObject({ data: { scanned: 2 } });
  });

  test('counts in a checkpoint the changes since the last of several events that came together', async () => {
    const stream = startStream({ filter: { states: ['CA'] } });
    stream.listen();
    await settle();
    stream.feed.append('CA', 3);
    stream.feed.append('OR', 2);
    await stream.clock.advance(MINUTE);
    expect(stream.kinds()).toEqual(['ready', 'endorsement', 'endorsement', 'endorsement', 'checkpoint']);
    expect(stream.last()).toMatchObject({ data: { scanned: 2 } });
  });

  test('follows an event that came together with later changes that did not match', async () => {
    const stream = startStream({ filter: { states: ['CA'] } });
    stream.listen();
    await settle();
    stream.feed.appendTogether(['CA', 'OR', 'OR']);
    await stream.clock.advance(MINUTE);
    expect(stream.kinds()).toEqual(['ready', 'endorsement', 'checkpoint']);
    expect(stream.last()).toMatchObject({ data: { scanned: 2 } });
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(3);
  });
});
