import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BufferPool } from '../../service/buffer-pool.ts';

test('no buffer is in use twice, and each is large enough', () => {
  const step = fc.oneof(
    fc.record({ take: fc.integer({ min: 0, max: 300_000 }) }),
    fc.record({ giveBack: fc.nat(20) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const pool = new BufferPool({ maxIdle: 3, maxBytes: 200_000 });
      const used: ArrayBuffer[] = [];
      for (const each of steps) {
        if ('take' in each) {
          const buffer = pool.take(each.take);
          expect(buffer.byteLength).toBeGreaterThanOrEqual(each.take);
          expect(used).not.toContain(buffer);
          used.push(buffer);
        } else {
          const [buffer] = used.splice(each.giveBack % Math.max(1, used.length), 1);
          if (buffer) pool.giveBack(buffer);
        }
      }
    }),
  );
});

test('a returned buffer is used again', () => {
  const pool = new BufferPool({ maxIdle: 2, maxBytes: 1_000_000 });
  const buffer = pool.take(100_000);
  pool.giveBack(buffer);
  expect(pool.take(90_000)).toBe(buffer);
});

test('keeps a bounded number of buffers, without too large ones', () => {
  const pool = new BufferPool({ maxIdle: 2, maxBytes: 100_000 });
  const buffers = [pool.take(1), pool.take(1), pool.take(1)];
  for (const buffer of buffers) pool.giveBack(buffer);
  const large = pool.take(150_000);
  pool.giveBack(large);
  expect(pool.take(150_000)).not.toBe(large);
  const again = [pool.take(1), pool.take(1), pool.take(1)];
  expect(again.filter((buffer) => buffers.includes(buffer))).toHaveLength(2);
});
