import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LeasedWindow } from '../../../gateway/limits/leased-window.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';

const MINUTE_MS = 60_000;

/** The database's side, in memory: what all gateways together have leased of each window. */
class Store {
  readonly used = new Map<number, number>();
  asked = 0;
  away = false;

  lease = async ({ windowStart, limit, size }: { windowStart: number; limit: number; size: number }) => {
    this.asked += 1;
    if (this.away) return null;
    const before = this.used.get(windowStart) ?? 0;
    const after = Math.max(before, Math.min(limit, before + size));
    this.used.set(windowStart, after);
    return { granted: after - before, used: after };
  };
}

function createWindows(count: number) {
  const clock = new ManualClock();
  const store = new Store();
  const windows = Array.from(
    { length: count },
    () => new LeasedWindow({ lengthMs: MINUTE_MS, lease: store.lease, clock }),
  );
  return { clock, store, windows: windows as [LeasedWindow, ...LeasedWindow[]] };
}

/** Returns whether a request is admitted. Fails if refills lead to no decision. */
async function ask(window: LeasedWindow, limit: number): Promise<boolean> {
  for (let refills = 0; !window.holds; refills += 1) {
    if (window.isSpent(limit)) return false;
    if (refills === 10) throw new Error('after ten refills, the window holds no request and is not spent');
    await window.refill(limit);
  }
  window.take(limit);
  return true;
}

async function countAdmitted(window: LeasedWindow, limit: number, requests: number): Promise<number> {
  let admitted = 0;
  for (let i = 0; i < requests; i += 1) if (await ask(window, limit)) admitted += 1;
  return admitted;
}

describe('a window of a limit, over several gateways', () => {
  test('admits exactly the limit if every gateway has demand, and never more', async () => {
    const gateway = fc.nat({ max: 2 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.tuple(gateway, fc.nat({ max: 3000 })), { maxLength: 200 }),
        async (limit, requests) => {
          const { clock, windows } = createWindows(3);
          let admitted = 0;
          let passed = 0;
          for (const [index, ms] of requests) {
            if (passed + ms < MINUTE_MS / 2) {
              await clock.advance(ms);
              passed += ms;
            }
            const window = windows[index];
            if (window && (await ask(window, limit))) admitted += 1;
          }
          expect(admitted).toBeLessThanOrEqual(limit);
          for (const window of windows) admitted += await countAdmitted(window, limit, limit + 1);
          expect(admitted).toBe(limit);
        },
      ),
    );
  });

  test.each([60, 600, 6000])(
    'wastes at most a tenth of %i when the other gateways become idle',
    async (limit) => {
      for (const silentAfter of [1, limit / 4, limit / 2, limit / 1.2]) {
        const { windows } = createWindows(3);
        const [busy, ...others] = windows;
        let admitted = 0;
        for (let i = 0; i < silentAfter / 3; i += 1) {
          for (const window of windows) if (await ask(window, limit)) admitted += 1;
        }
        admitted += await countAdmitted(busy, limit, limit);
        expect(others.some((window) => window.isSpent(limit))).toBe(false);
        expect(admitted).toBeGreaterThanOrEqual(limit * 0.9);
        expect(admitted).toBeLessThanOrEqual(limit);
      }
    },
  );

  test('starts over with the next window and carries nothing over', async () => {
    const { clock, store, windows } = createWindows(1);
    const [window] = windows;
    await clock.advance(15_000);
    expect(await countAdmitted(window, 60, 100)).toBe(60);
    expect([window.isSpent(60), window.remaining(60), window.resetMs]).toEqual([true, 0, 45_000]);
    await clock.advance(44_999);
    expect(await ask(window, 60)).toBe(false);
    await clock.advance(1);
    expect(window.remaining(60)).toBe(60);
    expect(await countAdmitted(window, 60, 100)).toBe(60);
    expect([...store.used.values()]).toEqual([60, 60]);
  });

  test('is one window even if the clock advances between two calls', async () => {
    const store = new Store();
    let now = Date.parse('2026-11-03T12:00:15Z');
    const clock = { now: () => (now += 1) };
    const window = new LeasedWindow({ lengthMs: MINUTE_MS, lease: store.lease, clock });
    for (let i = 1; i <= 60; i += 1) {
      expect(await ask(window, 60)).toBe(true);
      expect(window.remaining(60)).toBe(60 - i);
    }
    expect(await ask(window, 60)).toBe(false);
    expect([...store.used]).toEqual([[Date.parse('2026-11-03T12:00:00Z'), 60]]);
  });

  test('counts a request taken just as it begins, and admits the rest', async () => {
    const { clock, windows } = createWindows(1);
    const [window] = windows;
    await window.refill(60);
    expect(window.holds).toBe(true);
    await clock.advance(MINUTE_MS);
    expect(window.isSpent(60)).toBe(false);
    window.take(60);
    expect(await countAdmitted(window, 60, 100)).toBe(59);
  });

  test('that is used up has room again once a request is given back', async () => {
    const [window] = createWindows(1).windows;
    await window.refill(1);
    const giveBack = window.take(1);
    await window.refill(1);
    expect(window.isSpent(1)).toBe(true);
    giveBack();
    expect([window.isSpent(1), window.holds]).toEqual([false, true]);
  });

  test('takes back no request of the window before it', async () => {
    const { clock, windows } = createWindows(1);
    const [window] = windows;
    await window.refill(60);
    const giveBack = window.take(60);
    await clock.advance(MINUTE_MS);
    expect(window.remaining(60)).toBe(60);
    giveBack();
    expect(await countAdmitted(window, 60, 100)).toBe(60);
  });

  test('asks the database once for the requests that come during a lease', async () => {
    const { store, windows } = createWindows(1);
    const [window] = windows;
    for (let leases = 1; leases <= 2; leases += 1) {
      await Promise.all(Array.from({ length: 10 }, () => window.refill(100)));
      expect(store.asked).toBe(leases);
    }
  });

  test('asks the database rarely, and not at all once it is spent', async () => {
    const { store, windows } = createWindows(1);
    await countAdmitted(windows[0], 6000, 5000);
    expect(store.asked).toBeLessThan(5000 / 20);
    await countAdmitted(windows[0], 6000, 1001);
    const { asked } = store;
    expect(await countAdmitted(windows[0], 6000, 1000)).toBe(0);
    expect(store.asked).toBe(asked);
  });

  test('reports the last known rest over all gateways', async () => {
    const { windows } = createWindows(2);
    const [first, second] = windows;
    await countAdmitted(first, 60, 30);
    await ask(second as LeasedWindow, 60);
    const remaining = second?.remaining(60) ?? 0;
    expect(remaining).toBeLessThanOrEqual(29);
    expect(remaining).toBeGreaterThanOrEqual(27);
  });

  test('continues when the limit is raised, and stops when it is lowered', async () => {
    const { windows } = createWindows(1);
    expect(await countAdmitted(windows[0], 60, 100)).toBe(60);
    expect(await countAdmitted(windows[0], 100, 100)).toBe(40);
    expect(await countAdmitted(windows[0], 50, 100)).toBe(0);
    expect(windows[0].remaining(50)).toBe(0);
  });
});

describe('a lease that is answered after its window has ended', () => {
  /** A window with one request under way, whose lease the test answers. */
  function createHeld() {
    const clock = new ManualClock();
    const answers: ((lease: { granted: number; used: number } | null) => void)[] = [];
    const lease = () =>
      new Promise<{ granted: number; used: number } | null>((resolve) => answers.push(resolve));
    const window = new LeasedWindow({ lengthMs: MINUTE_MS, lease, clock });
    const admitted = ask(window, 60);
    return { clock, window, answers, admitted };
  }

  test.each([
    ['and says that the limit is used up', { granted: 0, used: 60 }],
    ['and grants some', { granted: 3, used: 40 }],
    ['because the database is away', null],
  ])('%s changes nothing in the next window, even if that was read before', async (_, late) => {
    for (const looks of [true, false]) {
      const { clock, window, answers, admitted } = createHeld();
      await clock.advance(MINUTE_MS);
      if (looks) expect(window.remaining(60)).toBe(60);
      answers.shift()?.(late);
      await settle();
      expect([window.isSpent(60), window.holds, window.remaining(60)]).toEqual([false, false, 60]);
      answers.shift()?.({ granted: 1, used: 1 });
      expect(await admitted).toBe(true);
      expect(window.remaining(60)).toBe(59);
    }
  });

  test('changes nothing even if the clock went forward and back', async () => {
    const answers: ((lease: { granted: number; used: number }) => void)[] = [];
    const lease = () => new Promise<{ granted: number; used: number }>((resolve) => answers.push(resolve));
    let now = MINUTE_MS - 1;
    const clock = { now: () => now };
    const window = new LeasedWindow({ lengthMs: MINUTE_MS, lease, clock });
    const refilled = window.refill(60);
    now += 1;
    expect(window.isSpent(60)).toBe(false);
    now -= 1;
    expect(window.isSpent(60)).toBe(false);
    answers.shift()?.({ granted: 0, used: 60 });
    await refilled;
    expect(window.isSpent(60)).toBe(false);
  });
});

describe('while the database does not answer', () => {
  test('each gateway counts alone up to the limit and reports it afterwards', async () => {
    const { store, windows } = createWindows(2);
    const [first, second] = windows;
    expect(await countAdmitted(first, 600, 100)).toBe(100);
    store.away = true;
    expect(await countAdmitted(first, 600, 200)).toBe(200);
    store.away = false;
    const rest =
      (await countAdmitted(first, 600, 250)) + (await countAdmitted(second as LeasedWindow, 600, 600));
    expect(300 + rest).toBeLessThanOrEqual(600);
    expect(300 + rest).toBeGreaterThanOrEqual(540);
  });

  test('no gateway admits more than the whole limit', async () => {
    const { store, windows } = createWindows(1);
    store.away = true;
    expect(await countAdmitted(windows[0], 60, 500)).toBe(60);
    expect(windows[0].isSpent(60)).toBe(true);
  });
});
