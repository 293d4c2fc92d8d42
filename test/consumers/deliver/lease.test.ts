import { beforeEach, describe, expect, test } from '@jest/globals';
import { LEASE_MS, Lease } from '../../../consumers/deliver/lease.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';

const never = new AbortController().signal;
let clock: ManualClock;
/** How long the database takes to extend the lease, in milliseconds. */
let extendingMs: number;
let lease: Lease;
beforeEach(() => {
  clock = new ManualClock();
  extendingMs = 0;
  lease = new Lease(() => clock.wait(extendingMs, never), clock);
});

async function renew(): Promise<void> {
  const renewing = lease.renew();
  await clock.advance(extendingMs);
  await renewing;
}

describe('a lease', () => {
  test('begins with its first renewal, and that is left ends without its signal', async () => {
    expect(lease.hasBegun).toBe(false);
    await renew();
    expect(lease.hasBegun).toBe(true);
    lease.leave();
    await clock.advance(LEASE_MS);
    expect([lease.lost.aborted, lease.hasBegun]).toEqual([false, true]);
  });

  test('ends if it is not renewed in time, counted from the beginning of its last renewal', async () => {
    await renew();
    await clock.advance(LEASE_MS - 1);
    extendingMs = 1000;
    const former = lease.lost;
    const renewing = lease.renew();
    await clock.advance(500);
    // The database may have extended it, but its answer is late.
    expect(former.aborted).toBe(true);
    await clock.advance(500);
    await renewing;
    await clock.advance(LEASE_MS - extendingMs - 1);
    expect(lease.lost.aborted).toBe(false);
    await clock.advance(1);
    expect(lease.lost.aborted).toBe(true);
  });

  test('that is renewed goes on with the same signal', async () => {
    await renew();
    const { lost } = lease;
    for (let renewals = 0; renewals < 5; renewals += 1) {
      await clock.advance(LEASE_MS / 2);
      await renew();
    }
    expect([lost.aborted, lease.lost === lost]).toEqual([false, true]);
  });

  test('that is renewed after its end begins again, each time', async () => {
    for (let times = 0; times < 2; times += 1) {
      await renew();
      expect(lease.lost.aborted).toBe(false);
      await clock.advance(LEASE_MS);
      expect(lease.lost.aborted).toBe(true);
    }
  });

  test('is too short for an attempt until it is renewed', async () => {
    const waits: string[] = [];
    const wait = (name: string) => lease.untilItLasts(LEASE_MS - 100, never).then(() => waits.push(name));
    void wait('first');
    await settle();
    expect(waits).toEqual([]);
    await renew();
    await settle();
    expect(waits).toEqual(['first']);
    await clock.advance(101);
    extendingMs = 50;
    const renewing = lease.renew();
    void wait('second');
    await settle();
    expect(waits).toEqual(['first']);
    await clock.advance(extendingMs);
    await renewing;
    await settle();
    expect(waits).toEqual(['first', 'second']);
    await expect(lease.untilItLasts(LEASE_MS + 1, AbortSignal.abort(new Error('over')))).rejects.toThrow(
      'over',
    );
  });
});
