import { expect, test } from '@jest/globals';
import { leaseEnd } from '../../../domain/replica-lease.ts';
import { ReplicaLeases } from '../../../gateway/replicas/replica-leases.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

test('INV-1: a lease lasts from the question, however late the answer comes, and only while the primary lists it', async () => {
  const clock = new ManualClock();
  const never = new AbortController().signal;
  let listed = ['first', 'second'];
  let isAway = false;
  const leases = new ReplicaLeases(async () => {
    await clock.wait(500, never);
    if (isAway) throw new Error('away');
    return listed;
  }, clock);
  const renew = async () => {
    const renewing = leases.renew().catch(() => {});
    await clock.advance(500);
    await renewing;
  };
  const held = () => ['first', 'second'].filter((instance) => leases.holds(instance));

  const askedAt = clock.now();
  await renew();
  isAway = true;
  await renew();
  await clock.advance(leaseEnd(askedAt) - 1 - clock.now());
  expect(held()).toEqual(['first', 'second']);
  await clock.advance(1);
  expect(held()).toEqual([]);
  isAway = false;
  await renew();
  listed = ['second'];
  await renew();
  expect(held()).toEqual(['second']);
});
