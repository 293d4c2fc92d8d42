import { expect, test } from '@jest/globals';
import { runCrowd } from '../soak/crowd.ts';

test('the streams of a stopping gateway continue at the other one within a minute, without losses', async () => {
  const streams = 200;
  const report = await runCrowd({ streams, rate: 20, readerProcesses: 1, calmMs: 1000, report: () => {} });
  expect(report.faults).toEqual([]);
  expect(report.returnedMs).toBeLessThan(60_000);
  // Each stream was open at both gateways, and there were changes to lose.
  expect(report.connections).toBeGreaterThanOrEqual(2 * streams);
  expect(report.events).toBeGreaterThan(100);
  expect(report.readsDuring.length).toBeGreaterThan(0);
}, 240_000);
