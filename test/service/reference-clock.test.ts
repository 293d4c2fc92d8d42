import { afterEach, expect, test } from '@jest/globals';
import { register } from 'prom-client';
import { type Clock, systemClock } from '../../service/clock.ts';
import { createLog } from '../../service/log.ts';
import { ReferenceClock } from '../../service/reference-clock.ts';

const NOON = Date.UTC(2026, 9, 5, 12);

/** A machine with a clock and a reference that a test sets. */
class Machine {
  readonly lines: string[] = [];
  local = NOON;
  reference = NOON;
  monotonic = 1000;
  /** How long a reading takes, in milliseconds. */
  roundTripMs = 10;
  isAway = false;
  /** How long the clock waited between readings, in milliseconds. */
  readonly waits: number[] = [];
  readonly clock = new ReferenceClock({
    read: async () => {
      if (this.isAway) throw new Error('away');
      this.pass(this.roundTripMs / 2);
      const time = this.reference;
      this.pass(this.roundTripMs / 2);
      return time;
    },
    log: createLog('test', 'info', { write: (line) => this.lines.push(line) }),
    local: {
      ...systemClock,
      now: () => this.local,
      wait: async (ms) => {
        this.waits.push(ms);
      },
    } satisfies Clock,
    monotonic: () => this.monotonic,
  });

  /** Lets time pass, on all clocks alike. */
  pass(ms: number): void {
    this.local += ms;
    this.reference += ms;
    this.monotonic += ms;
  }
}

afterEach(() => register.resetMetrics());

test('uses the local clock until it has read the reference', async () => {
  const machine = new Machine();
  machine.local = NOON + 600_000;
  expect(machine.clock.now()).toBe(NOON + 600_000);
  await machine.clock.synchronize();
  expect(machine.clock.now()).toBe(machine.reference);
});

test.each([600_000, -600_000, 0])('a local clock with an error of %d ms changes nothing', async (skew) => {
  const machine = new Machine();
  machine.local += skew;
  await machine.clock.synchronize();
  machine.pass(3_600_000);
  expect(machine.clock.now()).toBe(machine.reference);
});

test('a step of the local clock between two readings changes nothing', async () => {
  const machine = new Machine();
  await machine.clock.synchronize();
  machine.local += 86_400_000;
  machine.pass(1000);
  expect(machine.clock.now()).toBe(machine.reference);
});

test('time continues while the reference is away', async () => {
  const machine = new Machine();
  await machine.clock.synchronize();
  machine.isAway = true;
  machine.pass(5000);
  await machine.clock.synchronize();
  expect(machine.clock.now()).toBe(machine.reference);
});

/** Reads a time with an error of 390 ms, as happens if the request takes longer than the answer. */
async function readUnevenly(machine: Machine): Promise<void> {
  machine.roundTripMs = 800;
  machine.reference += 390;
  await machine.clock.synchronize();
  machine.reference -= 390;
}

test('a slow reading does not replace an exact one', async () => {
  const machine = new Machine();
  await machine.clock.synchronize();
  machine.pass(5000);
  await readUnevenly(machine);
  expect(machine.clock.now()).toBe(machine.reference);
});

test('the first more exact reading replaces a slow first one', async () => {
  const machine = new Machine();
  await readUnevenly(machine);
  expect(machine.clock.now()).toBe(machine.reference + 390);
  machine.roundTripMs = 100;
  await machine.clock.synchronize();
  expect(machine.clock.now()).toBe(machine.reference);
});

test('an exact reading ages, so that a less exact one replaces it', async () => {
  const machine = new Machine();
  await machine.clock.synchronize();
  machine.pass(600_000);
  machine.reference += 300;
  machine.roundTripMs = 800;
  await machine.clock.synchronize();
  expect(machine.clock.now()).toBe(machine.reference);
});

test('a reading that contradicts the last one counts, even if it is slow, because the reference was set', async () => {
  const machine = new Machine();
  await machine.clock.synchronize();
  machine.reference += 5000;
  machine.roundTripMs = 800;
  await machine.clock.synchronize();
  expect(machine.clock.now()).toBe(machine.reference);
});

test.each([
  [500, 800],
  [5000, 40],
])('reads again after %d ms when the last reading took %d ms', async (waitMs, roundTripMs) => {
  const machine = new Machine();
  machine.roundTripMs = roundTripMs;
  machine.clock.start();
  await machine.clock.stop();
  expect(machine.waits).toEqual([waitMs]);
});

test('a reading that took seconds never counts', async () => {
  const machine = new Machine();
  machine.local += 600_000;
  machine.roundTripMs = 4000;
  await machine.clock.synchronize();
  expect(machine.clock.now()).toBe(machine.local);
});

test.each([
  ['ahead of', 10_000],
  ['behind', -10_000],
])('a local clock %s the reference is reported once, and again when it agrees', async (direction, skew) => {
  const machine = new Machine();
  machine.local += skew;
  await machine.clock.synchronize();
  await machine.clock.synchronize();
  expect(machine.lines).toHaveLength(1);
  expect(machine.lines[0]).toContain(`10 s ${direction} the database's`);
  expect(await register.getSingleMetricAsString('clock_skew_seconds')).toContain(
    `clock_skew_seconds ${skew / 1000}`,
  );
  machine.local -= skew;
  await machine.clock.synchronize();
  expect(machine.lines[1]).toContain('agrees with the database again');
});

test('a local clock within two seconds is not reported', async () => {
  const machine = new Machine();
  machine.local += 1900;
  await machine.clock.synchronize();
  expect(machine.lines).toEqual([]);
});
