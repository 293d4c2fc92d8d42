import { expect, test } from '@jest/globals';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';

test('no two locks have one number: who waits for one would wait for the other', () => {
  const numbers = Object.values(ADVISORY_LOCKS);
  expect(new Set(numbers).size).toBe(numbers.length);
});
