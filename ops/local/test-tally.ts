/** The used part of jest's --json results. */
export interface JestResults {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** Test files that failed before their tests could run. */
  numRuntimeErrorTestSuites: number;
}

/**
 * The last line of a test run, and whether the run succeeded. A file that could not be loaded counts as one failure,
 * because its tests are not counted at all. A run without a passing test is a failure.
 */
export function formatTally(results: JestResults): { line: string; ok: boolean } {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  return { line, ok: results.success && failed === 0 && results.numPassedTests > 0 };
}
