import { expect, test } from '@jest/globals';
import { requireReadyFeed } from '../../../gateway/delivery/resume.ts';
import { createReadiness } from '../../../gateway/http/health.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

function setUp() {
  const clock = new ManualClock();
  const draining = new AbortController();
  const { log, lines } = captureLog();
  const state: { ready: boolean; isInConflict: boolean; store: () => Promise<boolean> } = {
    ready: true,
    isInConflict: false,
    store: async () => true,
  };
  const { isReady, require } = createReadiness({
    requireStream: () => requireReadyFeed(state),
    isStoreReachable: () => state.store(),
    draining: draining.signal,
    clock,
    log,
  });
  return { state, clock, draining, lines, isReady, require };
}

test('a gateway is ready only while it has caught up, reaches the database and is not told to stop', async () => {
  const { state, clock, draining, isReady } = setUp();
  expect(await isReady()).toBe(true);
  state.ready = false;
  expect(await isReady()).toBe(false);
  state.ready = true;
  state.store = async () => false;
  await clock.advance(1000);
  expect(await isReady()).toBe(false);
  state.store = async () => true;
  await clock.advance(1000);
  expect(await isReady()).toBe(true);
  draining.abort();
  expect(await isReady()).toBe(false);
});

test('a gateway whose clock was set back checks the database again', async () => {
  const { state, clock, isReady } = setUp();
  state.store = async () => false;
  expect(await isReady()).toBe(false);
  state.store = async () => true;
  await clock.advance(-60_000);
  expect(await isReady()).toBe(true);
});

test('a gateway reports whether it catches up or waits for a repaired database', async () => {
  const { state, require } = setUp();
  state.ready = false;
  await expect(require()).rejects.toMatchObject({
    code: 'warming_up',
    message: expect.stringContaining('catching up'),
  });
  state.isInConflict = true;
  await expect(require()).rejects.toMatchObject({
    code: 'server_busy',
    message: expect.stringContaining('until its operator has repaired the database'),
  });
});

test('a defect of the check is logged, and the gateway is not ready', async () => {
  const { state, lines, isReady, require } = setUp();
  state.store = async () => {
    throw new TypeError('injected');
  };
  expect(await isReady()).toBe(false);
  await expect(require()).rejects.toMatchObject({ code: 'server_busy' });
  expect(lines).toEqual([expect.objectContaining({ level: 'error', where: 'monitoring' })]);
});
