import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PacedBody } from '../../../gateway/http/paced-body.ts';
import { until } from '../../helpers/until.ts';

const STEP = 64 * 1024;
const NEVER = { stallMs: 60_000, bytesPerSecond: 0 };
const fail = () => {
  throw new Error('The client is not slow.');
};

test('the bytes arrive as they are, whatever the pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3 * STEP), { maxLength: 4 }), async (sizes) => {
      const pieces = sizes.map((size, index) => Buffer.alloc(size, index + 1));
      const body = new PacedBody(pieces, NEVER, fail);
      expect((await buffer(body)).equals(Buffer.concat(pieces))).toBe(true);
    }),
    { numRuns: 20 },
  );
});

test('INV-15: a client that stops taking is given up', async () => {
  let isSlow = false;
  const body = new PacedBody([Buffer.alloc(20 * STEP)], { stallMs: 100, bytesPerSecond: 0 }, () => {
    isSlow = true;
  });
  body.pipe(new PassThrough());
  await until('it is given up', () => isSlow);
  expect(body.destroyed).toBe(true);
});

test('INV-15: a client that takes a little again and again is given up by its rate', async () => {
  let isSlow = false;
  // Twenty steps would have to arrive each second; the client takes one every ten milliseconds at most.
  const pace = { stallMs: 200, bytesPerSecond: 1000 * STEP };
  const body = new PacedBody([Buffer.alloc(10_000 * STEP)], pace, () => {
    isSlow = true;
  });
  while (!isSlow) {
    body.read(STEP);
    await sleep(10);
  }
  expect(body.destroyed).toBe(true);
});

test('a client that pauses for less is served to the end', async () => {
  const pace = { stallMs: 2000, bytesPerSecond: 1 };
  const body = new PacedBody([Buffer.alloc(4 * STEP)], pace, fail);
  let taken = 0;
  for await (const chunk of body) {
    taken += (chunk as Buffer).length;
    await sleep(5);
  }
  expect(taken).toBe(4 * STEP);
});
