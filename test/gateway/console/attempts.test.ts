import { expect, test } from '@jest/globals';
import { AttemptsByAddress } from '../../../gateway/console/session/attempts.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

test('INV-15: an address has its attempts again a minute after the first of them, and others have their own', async () => {
  const clock = new ManualClock();
  const attempts = new AttemptsByAddress(2, clock);
  attempts.note('first');
  await clock.advance(59_000);
  attempts.require('first');
  attempts.note('first');
  expect(() => attempts.require('first')).toThrow(expect.objectContaining({ status: 429 }));
  attempts.require('second');
  await clock.advance(1000);
  attempts.require('first');
});

test('the memory of addresses is bounded', () => {
  const attempts = new AttemptsByAddress(1, new ManualClock());
  attempts.note('first');
  for (let n = 0; n < 9999; n++) attempts.note(`address ${n}`);
  expect(() => attempts.require('first')).toThrow('wait a minute');
  attempts.note('another');
  attempts.note('and another');
  attempts.require('address 0');
});
