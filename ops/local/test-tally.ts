/** What this reads of the results that jest writes with --json. */
export interface JestResults {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** Test files that broke before their tests could run. */
  numRuntimeErrorTestSuites: number;
}

/**
 * The last line of a test run, and whether the run is a success: a file that could not be loaded counts as one
 * failure, since its tests do not count at all, and a run without a passing test is a failure.
 */
export function formatTally(results: JestResults): { line: string; ok: boolean } {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  return { line, ok: results.success && failed === 0 && results.numPassedTests > 0 };
}
