import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { LineBody, ReaderGoneError, SlowReaderError } from '../../../gateway/export/line-body.ts';

const LARGE = ['x'.repeat(1024 * 1024)];
const HOUR_MS = 3_600_000;

function open({ stallMs = HOUR_MS, totalMs = HOUR_MS } = {}) {
  const client = new AbortController();
  return { client, body: new LineBody({ closed: client.signal, stallMs, totalMs }) };
}

test('lines end in line breaks, and the last one ends the body', async () => {
  const { body } = open();
  await body.write(['1', '2']);
  body.end('3');
  await expect(text(body.stream)).resolves.toBe('1\n2\n3\n');
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

test('nothing follows the last line', async () => {
  const { body } = open();
  body.end('last');
  await expect(body.write(['more'])).rejects.toThrow(ReaderGoneError);
  await expect(text(body.stream)).resolves.toBe('last\n');
});
