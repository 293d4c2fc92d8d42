import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Sequenced, SequenceMerge } from '../../feed/merge.ts';
import { createReader, expectedOf, readAll, topicArbitrary } from '../helpers/stream/merge-model.ts';

const at = (sequence: number, offset: number, bytes = 1000) => ({ event: { sequence, bytes }, offset });
const taken = (merge: SequenceMerge<Sequenced>, limit?: number) =>
  merge.take(limit).map(({ sequence }) => sequence);
const fromStart = () => new SequenceMerge<Sequenced>({ sequence: 0, offsets: [] });

describe('with any distribution of changes over partitions and any order of fetches', () => {
  const choices = fc.infiniteStream(fc.nat(1000));

  test('INV-7, INV-3: each change comes once, in order and without a gap', () => {
    fc.assert(
      fc.property(topicArbitrary, choices, (topic, choose) => {
        expect(readAll(createReader(topic, topic.start, choose))).toEqual(expectedOf(topic));
      }),
      { numRuns: 500 },
    );
  });

  test('INV-4: a merge that starts where another stopped misses nothing', () => {
    fc.assert(
      fc.property(topicArbitrary, choices, fc.nat(40), (topic, choose, steps) => {
        const reader = createReader(topic, topic.start, choose);
        const before = Array.from({ length: steps }, () => reader.step()).flat();
        const stopped = { sequence: reader.merge.next - 1, offsets: reader.merge.offsets };
        const after = readAll(createReader(topic, stopped, choose));
        expect([...before, ...after]).toEqual(expectedOf(topic));
      }),
      { numRuns: 500 },
    );
  });

  test('INV-7: nothing comes after a missing change', () => {
    fc.assert(
      fc.property(topicArbitrary, choices, fc.nat(), (topic, choose, hole) => {
        const missing = topic.start.sequence + 1 + (hole % (topic.last - topic.start.sequence));
        const partitions = topic.partitions.map((records) =>
          records.filter(({ event }) => event.sequence !== missing),
        );
        const reader = createReader({ ...topic, partitions }, topic.start, choose);
        const given = readAll(reader);
        expect(given).toHaveLength(missing - 1 - topic.start.sequence);
        expect(reader.merge.next).toBe(missing);
      }),
    );
  });
});

describe('the next change', () => {
  test('waits for the previous change, on any partition', () => {
    const merge = fromStart();
    merge.add(0, [at(2, 10), at(3, 11)], 12);
    expect(taken(merge)).toEqual([]);
    expect([merge.isBlocked, merge.next]).toEqual([true, 1]);
    merge.add(1, [at(1, 5), at(4, 6)], 7);
    expect(taken(merge)).toEqual([1, 2, 3, 4]);
    expect([merge.isBlocked, merge.next]).toEqual([false, 5]);
  });

  test('is returned with others up to a limit; the rest comes later', () => {
    const merge = fromStart();
    merge.add(0, [at(1, 0), at(2, 1), at(3, 2)], 3);
    expect([taken(merge, 0), taken(merge, 2), taken(merge, 2), taken(merge)]).toEqual([[], [1, 2], [3], []]);
  });

  test('INV-3: is not delayed by a copy on another partition', () => {
    const merge = fromStart();
    merge.add(0, [at(1, 0), at(2, 1)], 2);
    merge.add(1, [at(1, 7), at(3, 8)], 9);
    expect(taken(merge)).toEqual([1, 2, 3]);
  });
});

describe('INV-3: a copy that the relay sent again', () => {
  test('of a change that was returned before leaves nothing behind', () => {
    const merge = fromStart();
    merge.add(0, [at(1, 0)], 1);
    expect(taken(merge)).toEqual([1]);
    merge.add(1, [at(1, 7)], 8);
    expect([merge.isBlocked, merge.missing, merge.highest, merge.offsets]).toEqual([false, null, 1, [1, 8]]);
  });

  test('of a waiting change does not count as waiting, so its partition is read before the others', () => {
    const merge = fromStart();
    merge.add(0, [at(2, 0)], 1);
    merge.add(1, [at(2, 7)], 8);
    expect([merge.offsets, merge.wanted(2)]).toEqual([[0, 8], new Map([[1, 8]])]);
  });
});

describe('missing changes', () => {
  test.each([
    ['exactly one', 2, { from: 1, to: 1 }],
    ['several', 5, { from: 1, to: 4 }],
  ])('before the first waiting change, %s, are named', (_, first, missing) => {
    const merge = fromStart();
    merge.add(0, [at(first + 1, 7), at(first, 8)], 9);
    expect(merge.missing).toEqual(missing);
    expect(taken(merge)).toEqual([]);
  });

  test('are none at the end, or if the next change waits', () => {
    const merge = fromStart();
    expect(merge.missing).toBeNull();
    merge.add(0, [at(1, 0)], 1);
    expect(merge.missing).toBeNull();
  });

  test('are filled; passed and waiting changes are not', () => {
    const merge = fromStart();
    merge.add(0, [at(1, 0), at(2, 1), at(4, 2)], 3);
    expect(taken(merge)).toEqual([1, 2]);
    const loaded = [1, 2, 3, 4].map((sequence) => ({ sequence, bytes: 1000 }));
    expect(merge.fill(loaded)).toEqual([3]);
    expect(taken(merge)).toEqual([3, 4]);
    expect(merge.fill(loaded)).toEqual([]);
    expect([merge.isBlocked, merge.missing, merge.highest]).toEqual([false, null, 4]);
  });
});

test('INV-7: a change behind a waiting one is found although another partition has nothing more', () => {
  const merge = fromStart();
  const atEnd = new Set([0]);
  // The relay sent 1 again, after 2 and to another partition.
  merge.add(1, [at(2, 0)], 1);
  expect(merge.wanted(2)).toEqual(new Map([[0, 0]]));
  expect(merge.wanted(2, { atEnd })).toEqual(new Map([[1, 1]]));
  merge.add(1, [at(1, 1)], 2);
  expect(taken(merge)).toEqual([1, 2]);
  expect(merge.wanted(2, { atEnd })).toEqual(new Map([[1, 2]]));
});

test('the highest sequence is that of the last waiting change, in any order of arrival', () => {
  const merge = fromStart();
  expect(merge.highest).toBe(0);
  merge.add(0, [at(4, 0), at(7, 1)], 2);
  merge.add(1, [at(5, 0)], 1);
  expect(merge.highest).toBe(7);
});

describe('a merge that skips lost changes', () => {
  test('continues with the first change after them, and drops earlier waiting ones', () => {
    const merge = fromStart();
    merge.add(0, [at(2, 20), at(4, 21)], 22);
    merge.add(1, [at(3, 30), at(5, 31)], 32);
    merge.skipTo(3);
    expect([merge.next, merge.offsets]).toEqual([4, [21, 31]]);
    expect(taken(merge)).toEqual([4, 5]);
    expect([merge.isBlocked, merge.offsets]).toEqual([false, [22, 32]]);
  });

  test('INV-3: never goes back', () => {
    const merge = new SequenceMerge<Sequenced>({ sequence: 8, offsets: [] });
    merge.skipTo(3);
    expect(merge.next).toBe(9);
  });
});

describe('the partitions to read next', () => {
  test('INV-15: are those without a waiting change while 32 MB wait, so that a hole does not fill the memory', () => {
    const merge = fromStart();
    const half = 16 * 1024 * 1024;
    const both = new Map([
      [0, 2],
      [1, 8],
    ]);
    merge.add(0, [at(2, 0, half), at(3, 1, half - 1)], 2);
    expect(merge.wanted(2, { ahead: 10 })).toEqual(new Map(both).set(1, 0));
    merge.add(1, [at(4, 7, 1)], 8);
    expect(merge.wanted(2, { ahead: 10 })).toEqual(new Map());
    expect(merge.wanted(3, { ahead: 10 })).toEqual(new Map([[2, 0]]));
    merge.skipTo(2);
    expect(merge.wanted(2, { ahead: 10 })).toEqual(both);
    expect(taken(merge)).toEqual([3, 4]);
    merge.add(0, [at(6, 2, half), at(7, 3, half - 1)], 4);
    expect(merge.wanted(1)).toEqual(new Map([[0, 4]]));
  });

  test('exclude those with a waiting change', () => {
    const merge = new SequenceMerge<Sequenced>({ sequence: 4, offsets: [40, 41] });
    merge.add(1, [at(6, 45)], 46);
    expect(merge.wanted(3)).toEqual(
      new Map([
        [0, 40],
        [2, 0],
      ]),
    );
  });

  test('are all partitions while no more changes wait than a reader may be ahead', () => {
    const merge = fromStart();
    merge.add(0, [at(2, 0), at(3, 1)], 2);
    const both = new Map([
      [0, 2],
      [1, 0],
    ]);
    expect([merge.wanted(2, { ahead: 2 }), merge.wanted(2, { ahead: 1 })]).toEqual([both, new Map([[1, 0]])]);
  });

  test('INV-7: are all partitions if all of them wait: a copy sent again can follow later changes', () => {
    const merge = fromStart();
    merge.add(0, [at(3, 0)], 1);
    merge.add(1, [at(2, 8)], 9);
    expect(merge.wanted(2)).toEqual(
      new Map([
        [0, 1],
        [1, 9],
      ]),
    );
    merge.add(1, [at(1, 9)], 10);
    expect(taken(merge)).toEqual([1, 2, 3]);
  });

  test('move on after a fetch without a change: offsets have gaps', () => {
    const merge = fromStart();
    merge.add(0, [], 17);
    expect([merge.wanted(1), merge.offsets]).toEqual([new Map([[0, 17]]), [17]]);
    merge.add(1, [at(2, 0)], 1);
    expect(merge.wanted(2)).toEqual(new Map([[0, 17]]));
  });

  test('INV-4: can be read again from the first change that was not returned', () => {
    const merge = fromStart();
    merge.add(2, [at(1, 20), at(2, 21), at(5, 24)], 25);
    expect(taken(merge, 1)).toEqual([1]);
    expect(merge.offsets).toEqual([0, 0, 21]);
    expect(taken(merge)).toEqual([2]);
    expect(merge.offsets).toEqual([0, 0, 24]);
  });
});
