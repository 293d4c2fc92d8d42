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
  // The next minute has the same bound.
  for (const _ of [1, 2]) attempts.note('first');
  expect(() => attempts.require('first')).toThrow(expect.objectContaining({ status: 429 }));
});

test('INV-15: the addresses of a network of IPv6 count together, and other networks for themselves', () => {
  const attempts = new AttemptsByAddress(3, new ManualClock());
  for (const address of ['2001:db8:0:7::1', '2001:db8:0:7:a:b:c:d', '2001:db8:0:7::']) attempts.note(address);
  for (const address of ['2001:db8:0:7::2', '2001:db8:0:7:8::']) {
    expect(() => attempts.require(address)).toThrow('wait a minute');
  }
  for (const others of [
    ['2001:db8:0:8::1', '2001:db8::7:0:0:1', '2001:db8::', '::1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', '192.0.2.1', 'fe80::1%eth0'],
  ]) {
    for (const address of others) attempts.require(address);
    for (const address of others) attempts.note(address);
  }
  attempts.require('::ffff:192.0.2.1');
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
