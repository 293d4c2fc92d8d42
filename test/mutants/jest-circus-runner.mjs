/**
 * jest's test runner, which stops testing a mutant after the first test that notices it. The first run has no mutant,
 * and is noted; files that fail or are slow in it are left out. StrykerJS accepts a runner if its path contains `jest-circus`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import runTestFile from '../jest/runner.mjs';

const requireFromJest = createRequire(createRequire(import.meta.url).resolve('jest/package.json'));
const requireFromCore = createRequire(requireFromJest.resolve('@jest/core'));
const { createEmptyTestResult } = requireFromCore('@jest/test-result');

/** The longest that a test file may take without a mutant. */
const SLOW_MS = 15_000;

/** The mutant that an earlier test file has noticed. */
let noticed;

/** Notes the names of a test file's tests. Later processes of StrykerJS read them too. Without names, it is left out. */
function note(testPath, names) {
  const file = process.env.MUTANT_NOTES;
  const earlier = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  writeFileSync(file, JSON.stringify({ ...earlier, [testPath]: names }));
}

/** The result of a file with one test of a status. jest takes a file without tests for an error. */
function createResult(testPath, status) {
  const test = { ancestorTitles: [], failureMessages: [], fullName: testPath, title: testPath, status };
  return { ...createEmptyTestResult(), testFilePath: testPath, testResults: [test] };
}

/**
 * Tells mutated modules which mutant is active, and where to count reached code. All test files of this process share
 * the modules, which look at this object of StrykerJS whenever they run.
 */
function activate(mutant, config, environment) {
  const name = config.globals.__strykerGlobalNamespace__ ?? '__stryker__';
  globalThis[name] = environment.global[name];
  globalThis[name].activeMutant = mutant;
}

/** Called by jest for each test file. */
export default async function runTests(globalConfig, config, environment, runtime, testPath, ...rest) {
  const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  if (mutant !== undefined && mutant === noticed) return createResult(testPath, 'pending');
  activate(mutant, config, environment);
  const startedAt = performance.now();
  const handle = environment.handleTestEvent?.bind(environment);
  let hasFailed = false;
  environment.handleTestEvent = async (event, state) => {
    if (event.name === 'test_start' && hasFailed) event.test.mode = 'skip';
    if (event.name === 'test_done' && event.test.errors.length > 0) hasFailed = true;
    await handle?.(event, state);
  };
  let result;
  try {
    result = await runTestFile(globalConfig, config, environment, runtime, testPath, ...rest);
  } catch (error) {
    if (mutant === undefined) throw error;
    // The mutant prevents the file from loading.
    result = createResult(testPath, 'failed');
  }
  const isFine = !hasFailed && !result.testExecError && result.numFailingTests === 0;
  if (mutant === undefined) {
    const isUsable = isFine && performance.now() - startedAt < SLOW_MS;
    note(testPath, isUsable ? result.testResults.map(({ fullName }) => fullName) : []);
    return isUsable ? result : createResult(testPath, 'pending');
  }
  if (isFine) return result;
  noticed = mutant;
  return result.testExecError ? createResult(testPath, 'failed') : result;
}
