/**
 * jest's test runner, which runs no more tests of a mutant after the first that notices it. The first run has no mutant,
 * and is noted. StrykerJS accepts a runner whose path holds `jest-circus`.
 */
import { createRequire } from 'node:module';
import { noteTestNames } from './test-names.mjs';

const requireFromJest = createRequire(createRequire(import.meta.url).resolve('jest/package.json'));
const requireFromCore = createRequire(requireFromJest.resolve('@jest/core'));
const { createEmptyTestResult } = requireFromCore('@jest/test-result');
const circus = requireFromCore('jest-circus/runner');
const runTestFile = circus.default ?? circus;

/** The mutant that an earlier test file has noticed. */
let noticed;

/** What jest calls for each test file. */
export default async function runTests(globalConfig, config, environment, runtime, testPath, ...rest) {
  const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  if (mutant !== undefined && mutant === noticed) {
    return { ...createEmptyTestResult(), testFilePath: testPath };
  }
  const handle = environment.handleTestEvent?.bind(environment);
  let hasFailed = false;
  environment.handleTestEvent = async (event, state) => {
    if (event.name === 'test_start' && hasFailed && mutant !== undefined) event.test.mode = 'skip';
    if (event.name === 'test_done' && event.test.errors.length > 0) hasFailed = true;
    await handle?.(event, state);
  };
  const startedAt = performance.now();
  const result = await runTestFile(globalConfig, config, environment, runtime, testPath, ...rest);
  if (mutant === undefined) {
    const names = result.testResults.map(({ fullName }) => fullName);
    noteTestNames(testPath, names, performance.now() - startedAt);
  } else if (hasFailed || result.testExecError) {
    noticed = mutant;
  }
  return result;
}
