import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MEASURED } from '../../bench/scaling/costs.ts';
import { type Load, plan } from '../../bench/scaling/model.ts';

const IDLE: Load = {
  streams: 0,
  changesPerSecond: 0,
  match: 0,
  readsPerSecond: 0,
  kept: 1,
  leased: 0,
  gzip: false,
};
const load: fc.Arbitrary<Load> = fc.record({
  streams: fc.nat(2_000_000),
  changesPerSecond: fc.nat(20_000),
  match: fc.double({ min: 0, max: 1, noNaN: true }),
  readsPerSecond: fc.nat(100_000),
  kept: fc.double({ min: 0, max: 1, noNaN: true }),
  leased: fc.double({ min: 0, max: 1, noNaN: true }),
  gzip: fc.boolean(),
});

describe('a plan', () => {
  test('without load has two gateways, and nothing else', () => {
    expect(plan(IDLE, MEASURED)).toMatchObject({
      gatewayProcesses: 2,
      writesPerSecond: 0,
      deliveriesPerSecond: 0,
      replicas: 0,
      toClients: 0,
    });
  });

  test('counts a write for each heartbeat, and for each turn with an event for the stream', () => {
    const silent = plan({ ...IDLE, streams: 20_000 }, MEASURED);
    expect(silent.writesPerSecond).toBeCloseTo(1000);
    const each = plan({ ...IDLE, streams: 20_000, changesPerSecond: 10, match: 1 }, MEASURED);
    expect(each.writesPerSecond).toBeCloseTo(1000 + 200_000);
    const together = plan({ ...IDLE, streams: 20_000, changesPerSecond: 1000, match: 1 }, MEASURED);
    expect(together.writesPerSecond).toBeCloseTo(1000 + 20_000 * MEASURED.write.turnsPerSecond);
  });

  test('never needs less for more load', () => {
    fc.assert(
      fc.property(load, fc.constantFrom('streams', 'changesPerSecond', 'readsPerSecond'), (given, more) => {
        const [small, large] = [given, { ...given, [more]: given[more] * 1.5 }].map((each) =>
          plan(each, MEASURED),
        );
        for (const need of ['gatewayProcesses', 'gatewayMemoryGib', 'toClients', 'primaryCores'] as const) {
          expect(large?.[need]).toBeGreaterThanOrEqual(small?.[need] ?? 0);
        }
      }),
    );
  });

  test('never needs more bytes with gzip', () => {
    fc.assert(
      fc.property(load, (given) => {
        const [plain, packed] = [false, true].map((gzip) => plan({ ...given, gzip }, MEASURED).toClients);
        expect(packed).toBeLessThanOrEqual(plain ?? 0);
      }),
    );
  });

  test('names the process that applies and the lock on the head first if changes come fast', () => {
    const { bottlenecks } = plan({ ...IDLE, changesPerSecond: 20_000 }, MEASURED);
    expect(bottlenecks.slice(0, 2)).toEqual([
      { part: 'the process that applies', used: expect.closeTo(0.967) },
      { part: 'the lock on the head of the stream', used: expect.closeTo(0.943) },
    ]);
  });

  test('is refused if changes alone fill the core of a gateway', () => {
    expect(() => plan({ ...IDLE, changesPerSecond: 50_000 }, MEASURED)).toThrow(RangeError);
  });
});
