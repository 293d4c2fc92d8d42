import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Turns, type TurnTaker } from '../../../consumers/deliver/turns.ts';

const never = new AbortController().signal;
const taker = (values: Partial<TurnTaker> = {}): TurnTaker => ({
  ...{ host: 'a.example', accountId: 1, isSlow: false },
  ...values,
});
/** Takers that differ in host and account. */
const different = (index: number, isSlow = false) =>
  taker({ host: `h${index}.example`, accountId: index, isSlow });

/** Asks for turns, and returns the functions that end those that were given at once. */
async function begin(turns: Turns, takers: TurnTaker[]): Promise<(() => void)[]> {
  const given: (() => void)[] = [];
  for (const each of takers) {
    void turns.take(each, never).then((end) => {
      if (end) given.push(end);
    });
  }
  await new Promise((resolve) => setImmediate(resolve));
  return given;
}

describe('at a time', () => {
  test.each([
    ['in all', 128, (index: number) => different(index)],
    ['to one host', 16, (index: number) => taker({ accountId: index })],
    [
      'to slow and failing receivers at one host',
      8,
      (index: number) => taker({ accountId: index, isSlow: true }),
    ],
    ['for one account', 4, (index: number) => taker({ host: `h${index}.example` })],
    ['to slow and failing receivers', 64, (index: number) => different(index, true)],
  ])('%s at most %d messages are sent, and the next one when one ends', async (_, most, make) => {
    const turns = new Turns();
    const given = await begin(
      turns,
      Array.from({ length: most + 5 }, (_each, index) => make(index)),
    );
    expect([given.length, turns.running, turns.waiting]).toEqual([most, most, 5]);
    given[0]?.();
    given[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect([given.length, turns.running, turns.waiting]).toEqual([most + 1, most, 4]);
  });

  test('INV-15: slow and failing receivers leave half of the turns to the others, in all and at their host', async () => {
    for (const [half, make] of [
      [64, different],
      [8, (accountId: number, isSlow = false) => taker({ accountId, isSlow })],
    ] as const) {
      const turns = new Turns();
      await begin(
        turns,
        Array.from({ length: 1000 }, (_, index) => make(index, true)),
      );
      const others = Array.from({ length: half }, (_, index) => make(2000 + index));
      expect(await begin(turns, others)).toHaveLength(half);
    }
  });

  test('those that wait for a busy host hold up no other host', async () => {
    const turns = new Turns();
    await begin(
      turns,
      Array.from({ length: 500 }, (_, index) => taker({ accountId: index })),
    );
    expect(await begin(turns, [taker({ host: 'b.example', accountId: 1000 })])).toHaveLength(1);
  });

  test('the turn that ends goes to the first that may have it, past those that must wait longer', async () => {
    const turns = new Turns();
    const busy = Array.from({ length: 16 }, (_, index) => taker({ accountId: 1000 + index }));
    const others = Array.from({ length: 112 }, (_, index) => different(index));
    const ends = await begin(turns, [...busy, ...others]);
    const late = await begin(turns, [taker({ accountId: 2000 }), different(3000)]);
    expect([turns.running, turns.waiting, late.length]).toEqual([128, 2, 0]);
    ends.at(-1)?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect([turns.running, turns.waiting, late.length]).toEqual([128, 1, 1]);
    ends[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect([turns.running, turns.waiting, late.length]).toEqual([128, 0, 2]);
  });

  test('the turn that ends goes to one that waits for its host, and to one that waits for its account', async () => {
    const turns = new Turns();
    const host = Array.from({ length: 15 }, (_, index) => taker({ accountId: 1000 + index }));
    const account = Array.from({ length: 4 }, (_, index) =>
      taker(index === 0 ? {} : { host: `h${index}.example` }),
    );
    const ends = await begin(turns, [...account, ...host]);
    const late = await begin(turns, [taker({ accountId: 2000 }), taker({ host: 'b.example' })]);
    expect([ends.length, late.length]).toEqual([19, 0]);
    ends[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(late).toHaveLength(2);
  });
});

test('a webhook that stops waiting gets no turn, and leaves nothing behind', async () => {
  const turns = new Turns();
  const given = await begin(
    turns,
    Array.from({ length: 4 }, () => taker()),
  );
  const stopping = new AbortController();
  const waiting = turns.take(taker(), stopping.signal);
  stopping.abort();
  expect(await waiting).toBeNull();
  expect(await turns.take(taker(), stopping.signal)).toBeNull();
  for (const end of given) end();
  expect([turns.running, turns.waiting]).toEqual([0, 0]);
});

test('a webhook that has waited for its turn leaves nothing behind at its signal', async () => {
  const turns = new Turns();
  const given = await begin(
    turns,
    Array.from({ length: 4 }, () => taker()),
  );
  const { signal } = new AbortController();
  const waiting = turns.take(taker(), signal);
  given[0]?.();
  expect(await waiting).not.toBeNull();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('whatever begins and ends, all bounds hold, and everybody has had a turn in the end', async () => {
  const any = fc.record({
    host: fc.integer({ min: 0, max: 12 }).map((host) => `h${host}.example`),
    accountId: fc.integer({ min: 0, max: 40 }),
    isSlow: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(any, { maxLength: 300, size: 'max' }), async (takers) => {
      const turns = new Turns();
      const running = new Set<TurnTaker>();
      let served = 0;
      const beyond: TurnTaker[] = [];
      const count = (matches: (each: TurnTaker) => boolean) => [...running].filter(matches).length;
      await Promise.all(
        takers.map(async (each) => {
          const end = await turns.take(each, never);
          running.add(each);
          served += 1;
          const holds =
            running.size <= 128 &&
            count(({ isSlow }) => isSlow) <= 64 &&
            count(({ host }) => host === each.host) <= 16 &&
            count(({ host, isSlow }) => isSlow && host === each.host) <= 8 &&
            count(({ accountId }) => accountId === each.accountId) <= 4;
          if (!holds) beyond.push(each);
          await null;
          running.delete(each);
          end?.();
        }),
      );
      expect(beyond).toEqual([]);
      expect([served, turns.running, turns.waiting]).toEqual([takers.length, 0, 0]);
    }),
    { numRuns: 50 },
  );
});
