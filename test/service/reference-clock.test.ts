import { afterEach, expect, test } from '@jest/globals';
import { register } from 'prom-client';
import type { Clock } from '../../service/clock.ts';
import { createLog } from '../../service/log.ts';
import { ReferenceClock } from '../../service/reference-clock.ts';

const NOON = Date.UTC(2026, 9, 5, 12);

/** A machine whose clock and whose reference a test sets. */
class Machine {
  readonly lines: string[] = [];
  local = NOON;
  reference = NOON;
  monotonic = 1000;
  /** How long a reading takes, in milliseconds. */
  roundTripMs = 10;
  isAway = false;
  readonly clock = new ReferenceClock({
    read: async () => {
      if (this.isAway) throw new Error('away');
      this.pass(this.roundTripMs / 2);
      const time = this.reference;
      this.pass(this.roundTripMs / 2);
      return time;
    },
    log: createLog('test', 'info', { write: (line) => this.lines.push(line) }),
    local: { now: () => this.local, wait: () => Promise.resolve() } satisfies Clock,
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

test('goes by the local clock until it has read the reference', async () => {
  const machine = new Machine();
  machine.local = NOON + 600_000;
  expect(machine.clock.now()).toBe(NOON + 600_000);
  await machine.clock.synchronize();
  expect(machine.clock.now()).toBe(machine.reference);
});

test.each([600_000, -600_000, 0])('a local clock that is off by %d ms changes nothing', async (skew) => {
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

test('time goes on while the reference is away', async () => {
  const machine = new Machine();
  await machine.clock.synchronize();
  machine.isAway = true;
  machine.pass(5000);
  await machine.clock.synchronize();
  expect(machine.clock.now()).toBe(machine.reference);
});

test('a reading that took long is not believed', async () => {
  const machine = new Machine();
  await machine.clock.synchronize();
  machine.roundTripMs = 4000;
  machine.reference += 60_000;
  await machine.clock.synchronize();
  expect(machine.clock.now()).toBe(machine.reference - 60_000);
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
