import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import type { StreamEnding } from '../../../gateway/delivery/stream-ending.ts';
import { parseCursor } from '../../../schemas/cursor.ts';
import { KafkaUnavailableError } from '../../../service/failure.ts';
import { settle } from '../../helpers/service/manual-clock.ts';
import { metricValue } from '../../helpers/service/metrics.ts';
import { HOUR, MINUTE, SECOND, startStream } from '../../helpers/stream/fed-stream.ts';

describe('a stream of Server-Sent Events', () => {
  test.each([
    [0, HOUR],
    // This is between two heartbeats.
    [0.5, 0.975 * HOUR],
    [1, 0.95 * HOUR],
  ])('with jitter %d sends reconnect after its lifetime and ends', async (random, lifetime) => {
    const stream = startStream({ random });
    stream.listen();
    await stream.clock.advance(lifetime - 1);
    expect(stream.kinds()).not.toContain('reconnect');
    await stream.clock.advance(1);
    expect(stream.last()).toMatchObject({
      event: 'reconnect',
      data: { reason: 'lifetime', retry_ms: 1000 + 4000 * random },
    });
    await stream.done;
    expect(stream.state.ended).toBe(true);
  });

  test('sends reconnect with its cursor when it is ended', async () => {
    const stream = startStream();
    stream.listen();
    stream.feed.append('CA', 2);
    await settle();
    stream.end({ reconnect: 'shutdown' });
    await stream.done;
    expect(stream.kinds()).toEqual(['ready', 'endorsement', 'endorsement', 'reconnect']);
    expect(stream.last()).toMatchObject({ data: { reason: 'shutdown' } });
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(2);
  });

  test('INV-7: sends reconnect with the cursor after the last event, in the middle of a large delivery too', async () => {
    const stream = startStream({ behind: 500, output: new PassThrough({ highWaterMark: 1024 }) });
    await settle();
    stream.end({ reconnect: 'shutdown' });
    await stream.done;
    stream.listen();
    for (let i = 0; i < 50 && !stream.state.ended; i += 1) await settle();
    const sent = stream.kinds().filter((kind) => kind === 'endorsement').length;
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(500);
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(sent);
  });

  test('does not wait for its client if it is ended before its first changes are read', async () => {
    const stream = startStream({ behind: 500, output: new PassThrough({ highWaterMark: 1024 }) });
    stream.end({ reconnect: 'shutdown' });
    await stream.done;
    stream.listen();
    for (let i = 0; i < 50 && !stream.state.ended; i += 1) await settle();
    expect(stream.last()).toMatchObject({ event: 'reconnect', data: { reason: 'shutdown' } });
  });

  test('asks a client that takes nothing for 20 seconds to reconnect, and none that takes a little', async () => {
    const stream = startStream({ output: new PassThrough({ highWaterMark: 1024 }) });
    stream.feed.append('CA', 500);
    await settle();
    for (let time = 0; time < 12; time += 1) {
      stream.noteTaken();
      await stream.clock.advance(15_000);
    }
    expect(stream.output.writableEnded).toBe(false);
    await stream.clock.advance(10_000);
    await stream.done;
    stream.listen();
    for (let i = 0; i < 50 && !stream.state.ended; i += 1) await settle();
    expect(stream.last()).toMatchObject({ event: 'reconnect', data: { reason: 'slow_consumer' } });
  });

  test('whose client resets the connection while it reads nothing ends as that client left it', async () => {
    const before = await metricValue('streams_ended_total', { reason: 'client_closed' });
    const stream = startStream({ output: new PassThrough({ highWaterMark: 1024 }) });
    stream.feed.append('CA', 500);
    await settle();
    stream.output.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    await stream.done;
    expect(stream.lines.at(-1)).toMatchObject({ msg: 'a stream ended', reason: 'client_closed' });
    expect(await metricValue('streams_ended_total', { reason: 'client_closed' })).toBe(before + 1);
  });

  test('ends with an error that gives the reason', async () => {
    const stream = startStream();
    stream.listen();
    stream.feed.append();
    await settle();
    stream.end({ error: 'revoked_api_key', message: 'This API key was revoked.' });
    await stream.done;
    expect(stream.last()).toMatchObject({
      event: 'error',
      data: { code: 'revoked_api_key', message: 'This API key was revoked.' },
    });
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(1);
    await settle();
    expect(stream.state.ended).toBe(true);
  });

  test.each<[string, StreamEnding]>([
    ['disconnected', { gone: true }],
    ['vanished', { vanished: true }],
  ])('writes nothing more to a client that has %s', async (_, ending) => {
    const stream = startStream();
    stream.listen();
    await settle();
    stream.end(ending);
    await stream.done;
    stream.feed.append();
    await stream.clock.advance(HOUR);
    expect(stream.kinds()).toEqual(['ready']);
  });
});

describe('the end of a stream', () => {
  test.each<[string, StreamEnding]>([
    ['lifetime', { reconnect: 'lifetime' }],
    ['shutdown', { reconnect: 'shutdown' }],
    ['subscription_changed', { reconnect: 'subscription_changed' }],
    ['client_closed', { gone: true }],
    ['key_revoked', { error: 'revoked_api_key', message: '' }],
    ['key_expired', { error: 'expired_api_key', message: '' }],
    ['account_suspended', { error: 'account_suspended', message: '' }],
  ])('is logged and counted once, by its reason: %s', async (reason, ending) => {
    const before = await metricValue('streams_ended_total', { reason });
    const stream = startStream();
    stream.listen();
    stream.feed.append();
    await settle();
    stream.feed.append();
    await stream.clock.advance(90 * SECOND);
    stream.end(ending);
    stream.end({ reconnect: 'shutdown' });
    await stream.done;
    expect(stream.lines).toEqual([
      expect.objectContaining({ level: 'info', msg: 'a stream ended', reason, seconds: 90, delivered: 2 }),
    ]);
    expect(await metricValue('streams_ended_total', { reason })).toBe(before + 1);
  });

  test('after a defect in reading is an error event', async () => {
    const stream = startStream({ behind: 1, failure: new TypeError('injected') });
    stream.listen();
    await stream.done;
    await settle();
    expect(stream.kinds()).toEqual(['ready', 'error']);
    expect(stream.last().data.code).toBe('internal_error');
    expect(stream.state.ended).toBe(true);
    expect(stream.lines.map(({ level, reason }) => [level, reason])).toEqual([
      ['error', undefined],
      ['info', 'defect'],
    ]);
  });

  test('after a defect without an id for a last frame is still clean, and reported', async () => {
    const before = await metricValue('defects_total', { where: 'stream' });
    const stream = startStream();
    stream.listen();
    await settle();
    stream.feed.append();
    stream.feed.broken = new TypeError('injected');
    stream.end({ reconnect: 'shutdown' });
    await stream.done;
    await settle();
    expect(stream.state.ended).toBe(true);
    expect(stream.lines.at(-1)).toMatchObject({ msg: 'a stream ended', reason: 'shutdown' });
    expect(await metricValue('defects_total', { where: 'stream' })).toBeGreaterThan(before);
  });

  test('after a defect in a heartbeat is clean and reported', async () => {
    const stream = startStream({ filter: { states: ['CA'] } });
    stream.listen();
    await settle();
    stream.feed.append('OR');
    stream.feed.broken = new TypeError('injected');
    await stream.clock.advance(20 * SECOND);
    await stream.done;
    expect(stream.lines[0]).toMatchObject({ level: 'error', where: 'stream' });
    expect(stream.lines.at(-1)).toMatchObject({ msg: 'a stream ended', reason: 'defect' });
    await settle();
    expect(stream.state.ended).toBe(true);
  });
});

describe('a stream that is behind the window', () => {
  const away = new KafkaUnavailableError('no broker');
  const setting = { retentionMs: 10 * MINUTE, behind: 1, failure: away };

  test('by less than the grace gets every event, so that one may begin with the oldest', async () => {
    const stream = startStream(setting);
    stream.listen();
    await stream.clock.advance(10 * MINUTE + 29 * SECOND);
    stream.feed.failure = undefined;
    await stream.clock.advance(SECOND);
    expect(stream.kinds()).toContain('endorsement');
    expect(stream.kinds()).not.toContain('reconnect');
  });

  test('by less than the grace continues after a slow client has taken the last event', async () => {
    const output = new PassThrough({ highWaterMark: 2048 });
    const stream = startStream({ ...setting, behind: 10, output });
    await stream.clock.advance(10 * MINUTE + 27 * SECOND);
    stream.feed.failure = undefined;
    await stream.clock.advance(2 * SECOND);
    expect(output.writableNeedDrain).toBe(true);
    await stream.clock.advance(5 * SECOND);
    stream.listen();
    await stream.clock.advance(SECOND);
    stream.feed.append();
    await stream.clock.advance(SECOND);
    expect(stream.kinds().filter((kind) => kind === 'endorsement')).toHaveLength(11);
    expect(stream.kinds()).not.toContain('reconnect');
  });

  test('by more than the grace is asked to reconnect, although Kafka might still have the events', async () => {
    const stream = startStream(setting);
    stream.listen();
    await stream.clock.advance(10 * MINUTE + 31 * SECOND);
    stream.feed.failure = undefined;
    await stream.clock.advance(2 * SECOND);
    await stream.done;
    expect(stream.kinds()).not.toContain('endorsement');
    expect(stream.last()).toMatchObject({ event: 'reconnect', data: { reason: 'slow_consumer' } });
    expect(parseCursor(stream.last().id ?? '').sequence).toBe(0);
  });

  test('in time alone, because nothing happened for long, continues', async () => {
    const stream = startStream({ retentionMs: 10 * MINUTE });
    stream.listen();
    await stream.clock.advance(30 * MINUTE);
    stream.feed.append('CA', 2);
    await stream.clock.advance(SECOND);
    expect(stream.kinds().filter((kind) => kind === 'endorsement')).toHaveLength(2);
    expect(stream.kinds()).not.toContain('reconnect');
  });
});
