import { expect, test } from '@jest/globals';
import { Coalescer } from '../../service/coalescer.ts';
import { settle } from '../helpers/service/manual-clock.ts';

/** Work that the test ends, in any order. The result of a run is its number. */
class Work {
  readonly runs: PromiseWithResolvers<number>[] = [];
  readonly shared = new Coalescer(() => {
    const run = Promise.withResolvers<number>();
    this.runs.push(run);
    return run.promise;
  });

  end(index: number): void {
    this.runs[index]?.resolve(index);
  }
}

test('callers before a run begins share it', async () => {
  const work = new Work();
  const asked = [work.shared.next(), work.shared.next()];
  await settle();
  work.end(0);
  expect(await Promise.all(asked)).toEqual([0, 0]);
  expect(work.runs).toHaveLength(1);
});

test('INV-1: callers during a run do not get its result and share the next one', async () => {
  const work = new Work();
  const first = work.shared.next();
  await settle();
  const later = [work.shared.next()];
  await settle();
  later.push(work.shared.next());
  expect(work.runs).toHaveLength(1);
  work.end(0);
  expect(await first).toBe(0);
  await settle();
  work.end(1);
  expect(await Promise.all(later)).toEqual([1, 1]);
  expect(work.runs).toHaveLength(2);
});

test('a failed run rejects for all callers that shared it, and the next one begins', async () => {
  const work = new Work();
  const first = [work.shared.next(), work.shared.next()];
  await settle();
  const next = work.shared.next();
  work.runs[0]?.reject(new Error('away'));
  for (const each of first) await expect(each).rejects.toThrow('away');
  await settle();
  work.end(1);
  expect(await next).toBe(1);
});
