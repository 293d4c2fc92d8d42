import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BatchCut, MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../../../domain/webhooks/batch-cut.ts';

/** The sizes of the batches that events make, in events. */
function cutAll(sizes: readonly number[]): number[][] {
  const batches: number[][] = [];
  let rest = [...sizes];
  while (rest.length > 0) {
    const cut = new BatchCut();
    const batch: number[] = [];
    for (const size of rest) {
      if (!cut.take(size)) break;
      batch.push(size);
    }
    batches.push(batch);
    rest = rest.slice(batch.length);
  }
  return batches;
}

test('a batch ends at 100 events or 256 KiB, whichever comes first, and no event is lost', () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 48 * 1024 }));
  fc.assert(
    fc.property(fc.array(size, { maxLength: 400, size: 'max' }), (sizes) => {
      const batches = cutAll(sizes);
      expect(batches.flat()).toEqual(sizes);
      for (const [index, batch] of batches.entries()) {
        const bytes = batch.reduce((sum, each) => sum + each + 1, 0);
        expect(batch.length).toBeLessThanOrEqual(MAX_BATCH_EVENTS);
        expect(bytes).toBeLessThanOrEqual(MAX_BATCH_BYTES);
        // It is as large as it may be.
        const next = batches[index + 1]?.[0];
        if (next === undefined) continue;
        expect(batch.length === MAX_BATCH_EVENTS || bytes + next + 1 > MAX_BATCH_BYTES).toBe(true);
      }
    }),
  );
});

test('an event that is larger than a batch is a batch of its own', () => {
  expect(cutAll([MAX_BATCH_BYTES, 5, MAX_BATCH_BYTES + 1])).toEqual([
    [MAX_BATCH_BYTES],
    [5],
    [MAX_BATCH_BYTES + 1],
  ]);
});

test('a full batch is known before the next event', () => {
  const cut = new BatchCut();
  for (let taken = 0; taken < MAX_BATCH_EVENTS; taken += 1) {
    expect(cut.isFull).toBe(false);
    cut.take(1);
  }
  expect(cut.isFull).toBe(true);
});
