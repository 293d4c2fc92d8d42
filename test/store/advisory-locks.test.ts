import { expect, test } from '@jest/globals';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';

test('locks have distinct numbers', () => {
  const numbers = Object.values(ADVISORY_LOCKS);
  expect(new Set(numbers).size).toBe(numbers.length);
});
