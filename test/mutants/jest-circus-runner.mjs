/**
 * jest's test runner, without the work that says nothing more about a mutant. It skips the files whose tests do not
 * reach the mutant, which jest would load for nothing, and all tests after the first that notices it.
 *
 * StrykerJS accepts a runner whose path holds `jest-circus`. It first runs all tests without a mutant.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const requireFromJest = createRequire(createRequire(import.meta.url).resolve('jest/package.json'));
const requireFromCore = createRequire(requireFromJest.resolve('@jest/core'));
const { createEmptyTestResult } = requireFromCore('@jest/test-result');
const circus = requireFromCore('jest-circus/runner');
const runTestFile = circus.default ?? circus;

/** By test file, the names of its tests; in StrykerJS's copy of the tree, so that its later processes find it. */
const NAMES_FILE = '.test-names.json';

/** The mutant that a test of an earlier file has noticed. */
let noticed;

function readNames() {
  try {
    return JSON.parse(readFileSync(NAMES_FILE, 'utf8'));
  } catch {
    return {};
  }
}

/** What jest calls for each test file. */
export default async function runTests(globalConfig, config, environment, runtime, testPath, ...rest) {
  const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  const names = readNames();
  const { testNamePattern } = globalConfig;
  const isWanted =
    !testNamePattern || names[testPath]?.some((name) => new RegExp(testNamePattern, 'i').test(name));
  if (mutant !== undefined && (mutant === noticed || isWanted === false)) {
    return { ...createEmptyTestResult(), testFilePath: testPath };
  }

  const handle = environment.handleTestEvent?.bind(environment);
  let hasFailed = false;
  environment.handleTestEvent = async (event, state) => {
    if (event.name === 'test_start' && hasFailed && mutant !== undefined) event.test.mode = 'skip';
    if (event.name === 'test_done' && event.test.errors.length > 0) hasFailed = true;
    await handle?.(event, state);
  };
  const result = await runTestFile(globalConfig, config, environment, runtime, testPath, ...rest);
  if (mutant === undefined) {
    names[testPath] = result.testResults.map(({ fullName }) => fullName);
    writeFileSync(NAMES_FILE, JSON.stringify(names));
  } else if (hasFailed || result.testExecError) {
    noticed = mutant;
  }
  return result;
}
