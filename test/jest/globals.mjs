/**
 * `@jest/globals` for test files and helpers. A test file gets the functions of its own run (`?of=FILE`). Helpers outlive
 * their first file, so they look up the functions of the running file at each call.
 */
import { ModuleMocker } from 'jest-mock';

const CURRENT = Symbol.for('ballot.jest-globals');
const MOCKER = Symbol.for('ballot.jest-mocker');
const isOfTestFile = new URL(import.meta.url).search !== '';

/** @param globals the functions of jest-circus for the next test file, and `expect` */
export function useGlobals(globals) {
  globalThis[CURRENT] = globals;
}

/**
 * A function of jest, or one of its properties such as `test.skip`, that is looked up at each use: helpers keep both
 * beyond their first file.
 *
 * @param {...string} names
 */
function delegate(...names) {
  const find = () => names.reduce((value, name) => value[name], globalThis[CURRENT]);
  return new Proxy(() => {}, {
    apply: (_target, _this, args) => find()(...args),
    get: (_target, property) => {
      const value = find()[property];
      return typeof value === 'function' ? delegate(...names, property) : value;
    },
  });
}

const NAMES = ['expect', 'test', 'describe', 'beforeAll', 'beforeEach', 'afterEach', 'afterAll'];

export const [expect, test, describe, beforeAll, beforeEach, afterEach, afterAll] = NAMES.map((name) =>
  isOfTestFile ? globalThis[CURRENT][name] : delegate(name),
);

/** One for all files and helpers, so that a helper restores what a test file has replaced. */
globalThis[MOCKER] ??= new ModuleMocker(globalThis);
const mocker = globalThis[MOCKER];

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
};
