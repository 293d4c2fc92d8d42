import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { LineBody, ReaderGoneError, SlowReaderError } from '../../../gateway/export/line-body.ts';
import { until } from '../../helpers/until.ts';

const LARGE = ['x'.repeat(1024 * 1024)];
const HOUR_MS = 3_600_000;

function open({ stallMs = HOUR_MS, totalMs = HOUR_MS, bytesPerSecond = 0 } = {}) {
  const client = new AbortController();
  const pace = { stallMs, bytesPerSecond };
  return { client, body: new LineBody({ closed: client.signal, pace, totalMs }) };
}

test('lines end in line breaks, and the last one ends the body', async () => {
  const { body } = open();
  await body.write(['1', '2']);
  const ended = body.end('3');
  await expect(text(body.stream)).resolves.toBe('1\n2\n3\n');
  await ended;
});

test('the body waits for a slow reader', async () => {
  const { body } = open();
  let isWritten = false;
  const writing = body.write(LARGE).then(() => {
    isWritten = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isWritten).toBe(false);
  body.stream.resume();
  await writing;
});

test.each([{ stallMs: 1 }, { totalMs: 1 }])('a reader that takes too long is dropped: %p', async (limits) => {
  const { body } = open(limits);
  await expect(body.write(LARGE)).rejects.toThrow(SlowReaderError);
  body.cut();
  await once(body.stream, 'close');
  expect(body.stream.readableEnded).toBe(false);
});

test('a reader that leaves is noticed during the wait, and before the next line', async () => {
  const { client, body } = open();
  const writing = body.write(LARGE);
  client.abort();
  await expect(writing).rejects.toThrow(ReaderGoneError);
  await expect(body.write(['more'])).rejects.toThrow(ReaderGoneError);
});

test('nothing is written for a client that has left before', async () => {
  const { body } = open();
  body.stream.destroy();
  await expect(body.write(['1'])).rejects.toThrow(ReaderGoneError);
});

test('a client that has left before the answer begins is noticed at its first line', async () => {
  const pace = { stallMs: HOUR_MS, bytesPerSecond: 0 };
  const body = new LineBody({ closed: AbortSignal.abort(), pace, totalMs: HOUR_MS });
  await expect(body.write(['1'])).rejects.toThrow(ReaderGoneError);
});

test('nothing follows the last line', async () => {
  const { body } = open();
  const ended = body.end('last');
  await expect(body.write(['more'])).rejects.toThrow(ReaderGoneError);
  await expect(text(body.stream)).resolves.toBe('last\n');
  await ended;
});

test('INV-15: a reader that takes a little again and again is dropped by its rate', async () => {
  // The reader takes a megabyte every ten milliseconds at most; it would have to take a hundred.
  const { body } = open({ stallMs: 200, bytesPerSecond: 1e10 });
  const reading = setInterval(() => body.stream.read(), 10);
  const writing = async () => {
    for (;;) await body.write(LARGE);
  };
  await expect(writing()).rejects.toThrow(SlowReaderError);
  clearInterval(reading);
});

test('a reader that lets nobody wait is not slow, however long its answer takes', async () => {
  const { body } = open({ stallMs: 200, bytesPerSecond: 1e10 });
  body.stream.resume();
  await body.write(['first']);
  const begun = performance.now();
  await until('the stall has passed', () => performance.now() > begun + 210);
  await body.write(LARGE);
  await body.end('last');
});

test('INV-15: the last lines count as under way until the reader has taken them', async () => {
  const { client, body } = open();
  const ending = body.end('last');
  await new Promise((resolve) => setImmediate(resolve));
  client.abort();
  await expect(ending).rejects.toThrow(ReaderGoneError);
  await expect(open({ stallMs: 1 }).body.end('last')).rejects.toThrow(SlowReaderError);
});
