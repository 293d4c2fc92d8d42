import { expect, test } from '@jest/globals';
import { formatTally } from '../../../ops/local/test-tally.ts';

const nothing = {
  success: true,
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

test.each([
  [{ numPassedTests: 3 }, '3 passed, 0 failed', true],
  [{ numPassedTests: 3, numPendingTests: 1, numTodoTests: 1 }, '3 passed, 0 failed, 2 skipped', true],
  [{ numPassedTests: 3, numFailedTests: 2, success: false }, '3 passed, 2 failed', false],
  // The tests of a file that does not load are not counted.
  [{ numPassedTests: 3, numRuntimeErrorTestSuites: 1, success: false }, '3 passed, 1 failed', false],
  // An empty run proves nothing.
  [{}, '0 passed, 0 failed', false],
  // jest can fail without a failing test, for example when a coverage threshold is missed.
  [{ numPassedTests: 3, success: false }, '3 passed, 0 failed', false],
])('results %j end with "%s"', (results, line, ok) => {
  expect(formatTally({ ...nothing, ...results })).toEqual({ line, ok });
});
