import { expect, test } from '@jest/globals';
import { safeReturnAddress } from '../../../gateway/console/session/return-address.ts';

test.each([
  '/console/operator/rejected/3/1201@2026-05-03T10:00:00.000Z/edit',
  '/console/operator/rejected/3/1201@2026-05-03T10:00:00.000Z?before=0-120,1-88',
  '/console/endorsements/12?endorser=coast-gazette',
  '/console/people?after=owner%2C12%2Cann%40example.org',
])('a person comes back to %s', (address) => {
  expect(safeReturnAddress(address)).toBe(address);
});
