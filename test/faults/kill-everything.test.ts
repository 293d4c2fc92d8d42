import { expect, test } from '@jest/globals';
import { runSoak } from '../soak/soak.ts';

test('INV-3, INV-4, INV-7, INV-13: while everything is killed, every reader receives the log and keeps a true copy', async () => {
  const streams = 40;
  const { faults, kills, connections, events, changes, edits, copies } = await runSoak({
    durationMs: 15_000,
    streams,
    rate: 40,
    killEveryMs: 3000,
    cutMs: 10_000,
    readerProcesses: 1,
    seed: 1,
    report: () => {},
  });
  expect(faults).toEqual([]);
  expect(Math.min(...Object.values(kills))).toBeGreaterThan(0);
  // The faults happened, and there were changes to lose.
  expect(connections).toBeGreaterThan(2 * streams);
  expect(Math.min(changes, events)).toBeGreaterThan(400);
  expect(Math.min(edits, copies)).toBeGreaterThan(1);
}, 240_000);
