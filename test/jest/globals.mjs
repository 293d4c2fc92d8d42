/** The `@jest/globals` of test files and helpers: it returns the functions of the running file. */
import { ModuleMocker } from 'jest-mock';

let current = {};

/** @param globals the functions of jest-circus for the next test file, and `expect` */
export function useGlobals(globals) {
  current = globals;
}

/**
 * A function with properties, such as `test.each`, that is looked up at each use, because helpers outlive their first
 * file.
 */
function delegate(name) {
  return new Proxy(() => {}, {
    apply: (_target, _this, args) => current[name](...args),
    get: (_target, property) => current[name][property],
  });
}

export const [expect, test, it, describe] = ['expect', 'test', 'it', 'describe'].map(delegate);
export const [beforeAll, beforeEach, afterEach, afterAll] = [
  'beforeAll',
  'beforeEach',
  'afterEach',
  'afterAll',
].map(delegate);

const mocker = new ModuleMocker(globalThis);

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
};
