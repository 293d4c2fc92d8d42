import { afterEach, expect, test } from '@jest/globals';
import { FairQueue } from '../../../gateway/limits/fair-queue.ts';

const HERE = { share: 1, gone: new AbortController().signal };
const OTHER = { ...HERE, share: 2 };
const BUSY = { code: 'server_busy', headers: { 'Retry-After': '2' } };
const OWN = { code: 'too_many_requests_in_flight', headers: { 'Retry-After': '2' } };

/** A queue for one request at a time, unless the limits differ. */
const createQueue = (limits: Partial<ConstructorParameters<typeof FairQueue>[0]>) =>
  new FairQueue({ atOnce: 1, atOnceOfAccount: 1, reserved: 0, waiting: 10, waitingOfAccount: 10, ...limits });

/** Work that ends when the test says so. */
function createWork() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let begun = false;
  const work = () => {
    begun = true;
    return promise;
  };
  return { work, resolve, reject, isBegun: () => begun };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('as much work as allowed runs at a time, the rest in order of arrival', async () => {
  const queue = createQueue({ atOnce: 2, atOnceOfAccount: 2 });
  const works = Array.from({ length: 4 }, createWork);
  const done = works.map(({ work }) => queue.run(work, HERE));
  await settle();
  expect(works.map(({ isBegun }) => isBegun())).toEqual([true, true, false, false]);
  works[1]?.resolve('second');
  await settle();
  expect(works.map(({ isBegun }) => isBegun())).toEqual([true, true, true, false]);
  works[0]?.reject(new Error('failed'));
  await expect(done[0]).rejects.toThrow('failed');
  await settle();
  expect(works[3]?.isBegun()).toBe(true);
  for (const { resolve } of works) resolve('done');
  expect(await Promise.all(done.slice(1))).toEqual(['second', 'done', 'done']);
});

test('a request is refused if too many wait, or too many of its own account', async () => {
  const queue = createQueue({ waiting: 2, waitingOfAccount: 1 });
  const works = Array.from({ length: 3 }, createWork);
  const [first, second, third] = works.map(({ work }, index) => queue.run(work, index < 2 ? HERE : OTHER));
  await settle();
  await expect(queue.run(createWork().work, HERE)).rejects.toMatchObject(OWN);
  await expect(queue.run(createWork().work, { ...HERE, share: 3 })).rejects.toMatchObject(BUSY);
  for (const { resolve } of works) resolve('done');
  expect(await Promise.all([first, second, third])).toEqual(['done', 'done', 'done']);
  expect(await queue.run(async () => 'free again', HERE)).toBe('free again');
});

test('a request whose turn does not come in time is answered, and leaves the queue', async () => {
  const queue = createQueue({ waiting: 2, waitingOfAccount: 1, waitingMs: 1 });
  const first = createWork();
  const done = queue.run(first.work, HERE);
  const late = createWork();
  for (let round = 0; round < 2; round += 1) {
    await expect(queue.run(late.work, HERE)).rejects.toMatchObject(OWN);
    await expect(queue.run(late.work, OTHER)).rejects.toMatchObject(BUSY);
  }
  first.resolve('first');
  expect(await done).toBe('first');
  expect(late.isBegun()).toBe(false);
});

test('a client that disconnects leaves the queue at once, and its work is not done', async () => {
  const queue = createQueue({ waiting: 2, waitingOfAccount: 2 });
  const [first, left, last] = [createWork(), createWork(), createWork()];
  const client = new AbortController();
  const gone = { ...HERE, gone: client.signal };
  const firstDone = queue.run(first.work, HERE);
  const leaving = [queue.run(left.work, gone), queue.run(left.work, gone)];
  client.abort();
  expect((await Promise.allSettled(leaving)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(queue.run(left.work, gone)).rejects.toMatchObject({ code: 'server_busy' });
  const lastDone = queue.run(last.work, HERE);
  first.resolve('first');
  last.resolve('last');
  expect(await Promise.all([firstDone, lastDone])).toEqual(['first', 'last']);
  expect(left.isBegun()).toBe(false);
});

test('a client that disconnects after its answer changes nothing for later requests of its account', async () => {
  const queue = createQueue({ waiting: 2, waitingOfAccount: 2 });
  const client = new AbortController();
  const [first, other, later] = [createWork(), createWork(), createWork()];
  const done = [queue.run(first.work, HERE), queue.run(async () => '', { ...HERE, gone: client.signal })];
  first.resolve('first');
  await Promise.all(done);
  const rest = [queue.run(other.work, OTHER), queue.run(later.work, HERE)];
  client.abort();
  other.resolve('other');
  later.resolve('later');
  expect(await Promise.all(rest)).toEqual(['other', 'later']);
});

test('an account runs no more requests than its limit, and does not delay the next of another account', async () => {
  const queue = createQueue({ atOnce: 2 });
  const [first, second, other] = [createWork(), createWork(), createWork()];
  const done = [queue.run(first.work, HERE), queue.run(second.work, HERE), queue.run(other.work, OTHER)];
  await settle();
  expect([first, second, other].map(({ isBegun }) => isBegun())).toEqual([true, false, true]);
  other.resolve('done');
  await settle();
  expect(second.isBegun()).toBe(false);
  first.resolve('done');
  await settle();
  expect(second.isBegun()).toBe(true);
  second.resolve('done');
  expect(await Promise.all(done)).toEqual(['done', 'done', 'done']);
});

test('a request whose account is at its limit does not block requests behind it', async () => {
  const queue = createQueue({ atOnce: 2 });
  const [first, other, second, third] = [createWork(), createWork(), createWork(), createWork()];
  const done = [
    queue.run(first.work, HERE),
    queue.run(other.work, OTHER),
    queue.run(second.work, HERE),
    queue.run(third.work, { ...HERE, share: 3 }),
  ];
  other.resolve('done');
  await settle();
  expect([second.isBegun(), third.isBegun()]).toEqual([false, true]);
  first.resolve('done');
  await settle();
  expect(second.isBegun()).toBe(true);
  for (const { resolve } of [second, third]) resolve('done');
  expect(await Promise.all(done)).toEqual(['done', 'done', 'done', 'done']);
});

test('requests that wait or would have to wait are refused during a shutdown', async () => {
  const draining = new AbortController();
  const queue = createQueue({ draining: draining.signal });
  const [first, waiting] = [createWork(), createWork()];
  const done = queue.run(first.work, HERE);
  const refused = [queue.run(waiting.work, HERE), queue.run(waiting.work, OTHER)];
  draining.abort();
  for (const one of [...refused, queue.run(waiting.work, HERE)])
    await expect(one).rejects.toMatchObject(BUSY);
  first.resolve('done');
  expect(await done).toBe('done');
  expect(waiting.isBegun()).toBe(false);
});

/** The ends of the work that runs, in the order of its turns. */
const ends: (() => void)[] = [];
afterEach(async () => {
  for (; ends.length > 0; await settle()) ends.shift()?.();
});

/** Runs work that ends only when the test ends it, and notes the accounts in the order of their turns. */
function createTurns(limits: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) {
  const queue = createQueue(limits);
  const begun: number[] = [];
  const ask = (share: number) => {
    const work = () => {
      begun.push(share);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    return queue.run(work, { ...HERE, share });
  };
  const endFirst = async () => {
    ends.shift()?.();
    await settle();
  };
  const endLast = async () => {
    ends.pop()?.();
    await settle();
  };
  return { queue, begun, ask, endFirst, endLast };
}

test('INV-15: accounts take turns, however many requests one of them has', async () => {
  const { begun, ask, endFirst } = createTurns();
  for (const share of [1, 1, 1, 1, 1, 1, 2, 2, 3]) ask(share);
  for (let turn = 0; turn < 9; turn += 1) await endFirst();
  expect(begun).toEqual([1, 2, 3, 1, 2, 1, 1, 1, 1]);
});

test('INV-15: an account that returns after each answer does not starve one that waits', async () => {
  const { begun, ask, endFirst } = createTurns();
  for (const share of [1, 1, 1]) ask(share);
  for (let turn = 0; turn < 6; turn += 1) {
    ask(2);
    await endFirst();
  }
  expect(begun.slice(0, 6)).toEqual([1, 2, 1, 2, 1, 2]);
});

test('INV-15: accounts that return after each answer, one after another, do not starve one that waits', async () => {
  const { begun, ask, endFirst } = createTurns();
  for (const share of [1, 1, 1, 2, 3]) ask(share);
  for (let turn = 0; turn < 6; turn += 1) {
    await endFirst();
    if (begun[turn] !== 1) ask(begun[turn] ?? 0);
  }
  expect(begun).toEqual([1, 2, 3, 1, 2, 3, 1]);
});

test('INV-15: an account that comes later does not overtake one that waits for its turn in the round', async () => {
  const { begun, ask, endFirst } = createTurns();
  for (const share of [1, 1, 2, 2]) ask(share);
  for (let turn = 0; turn < 2; turn += 1) await endFirst();
  ask(3);
  for (let turn = 0; turn < 2; turn += 1) await endFirst();
  expect(begun).toEqual([1, 2, 1, 2, 3]);
});

test('INV-15: an account whose only request takes long does not hold up one that waits', async () => {
  const { begun, ask, endLast } = createTurns({ atOnce: 2, atOnceOfAccount: 2 });
  for (const share of [1, 2, 2]) ask(share);
  await endLast();
  expect(begun).toEqual([1, 2, 2]);
});

test('INV-15: reserved turns are for accounts without one', async () => {
  const { begun, ask } = createTurns({ atOnce: 4, atOnceOfAccount: 2, reserved: 2 });
  for (const share of [1, 1, 1, 2, 2, 3, 3, 4]) ask(share);
  await settle();
  expect(begun).toEqual([1, 1, 2, 3]);
});

test.each(['an answer', 'a refusal', 'a disconnection'])(
  'INV-15: an account that comes back after %s does not overtake one that waits for its turn in the round',
  async (what) => {
    const { queue, begun, ask, endFirst } = createTurns({ waiting: 2, waitingOfAccount: 2 });
    if (what === 'an answer') {
      const done = ask(1);
      await endFirst();
      await done;
    }
    for (const share of [2, 3, 2]) ask(share);
    if (what === 'a refusal') await expect(ask(1)).rejects.toMatchObject({ code: 'server_busy' });
    if (what === 'a disconnection') {
      await endFirst();
      const client = new AbortController();
      const leaving = queue.run(async () => {}, { share: 1, gone: client.signal });
      client.abort();
      await expect(leaving).rejects.toMatchObject({ code: 'server_busy' });
    }
    while (begun.at(-1) !== 2 || begun.filter((each) => each === 2).length < 2) await endFirst();
    // Account 2 has its turn in a later round, and account 3 waits for its own.
    ask(3);
    ask(1);
    for (let turn = 0; turn < 3; turn += 1) await endFirst();
    expect(begun.slice(-3)).toEqual([2, 3, 1]);
  },
);
