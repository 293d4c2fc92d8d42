/**
 * `@jest/globals` for test files and helpers. A test file gets the functions of its own run (`?run=N`). Helpers outlive
 * their first file, so they look up the functions of the running file at each call.
 */
import { ModuleMocker } from 'jest-mock';

const CURRENT = Symbol.for('ballot.jest-globals');
const isOfTestFile = new URL(import.meta.url).search !== '';

/** @param globals the functions of jest-circus for the next test file, and `expect` */
export function useGlobals(globals) {
  globalThis[CURRENT] = globals;
}

/** A function with properties, such as `test.each`, that is looked up at each use. */
function delegate(name) {
  return new Proxy(() => {}, {
    apply: (_target, _this, args) => globalThis[CURRENT][name](...args),
    get: (_target, property) => globalThis[CURRENT][name][property],
  });
}

const NAMES = ['expect', 'test', 'describe', 'beforeAll', 'beforeEach', 'afterEach', 'afterAll'];

export const [expect, test, describe, beforeAll, beforeEach, afterEach, afterAll] = NAMES.map((name) =>
  isOfTestFile ? globalThis[CURRENT][name] : delegate(name),
);

const mocker = new ModuleMocker(globalThis);

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
};
