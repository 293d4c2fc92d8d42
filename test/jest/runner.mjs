/**
 * jest's test runner, without a virtual machine for each test file. Jest's own runtime evaluates every imported module
 * again for each file, which takes up to two seconds if a file imports the gateway. Here Node itself loads test files
 * and modules. So all files of a worker share the modules, and Node's cache of compiled code applies.
 *
 * Jest-circus still runs the tests: hooks, time-outs, `-t` and reports are jest's. Each file must restore the shared
 * state: `process.env`, prototypes, and the state of modules.
 */
import { createRequire, flushCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { register } from 'prom-client';
import { jest, useGlobals } from './globals.mjs';

const require = createRequire(import.meta.url);
const circus = require('jest-circus/runner').default;

/** The modules that replace those named by test files and helpers. */
const REPLACED = {
  '@jest/globals': new URL('./globals.mjs', import.meta.url).href,
  'fast-check': new URL('./fast-check.mjs', import.meta.url).href,
  'fast-check/itself': import.meta.resolve('fast-check'),
};

/** Each test file gets globals of its own. */
const TEST_FILE = /\.test\.ts(\?run=\d+)?$/;

registerHooks({
  resolve(specifier, context, next) {
    const url = REPLACED[specifier];
    if (url === undefined) return next(specifier, context);
    const { parentURL = '' } = context;
    const isOfFile = specifier === '@jest/globals' && TEST_FILE.test(parentURL);
    return { url: isOfFile ? `${url}?of=${encodeURIComponent(parentURL)}` : url, shortCircuit: true };
  },
});

/** The message with which jest ends a worker: `CHILD_MESSAGE_END` of jest-worker. */
const END = 2;

// A worker ends with its run, whatever its files have left open, and so does everything that it has started.
for (const event of ['disconnect', 'SIGINT', 'SIGTERM']) process.on(event, () => process.exit(1));
process.on('message', ([type]) => {
  if (type === END) process.exit(0);
});

/** How often each file has been run. Node would not evaluate the same address a second time. */
const runs = new Map();

/**
 * Forgets the tests and the handlers of the previous file, which jest-circus keeps under these symbols, what it has
 * replaced, and the counts of the metrics.
 */
function forgetFormerFile() {
  jest.restoreAllMocks();
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'].includes(symbol.description)) {
      delete globalThis[symbol];
    }
  }
  register.resetMetrics();
}

/** Node gives the places of stripped types as they are, and jest would copy each line of a stack to look for its source. */
function useOwnStacks() {
  Error.prepareStackTrace = undefined;
}

/** The runtime that jest-circus asks for modules, with Node's modules instead of jest's. */
function createNodeRuntime(runtime) {
  const replaced = {
    requireInternalModule(path) {
      delete require.cache[path];
      return require(path);
    },
    setGlobalsForRuntime: useGlobals,
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule(path) {
      const run = (runs.get(path) ?? 0) + 1;
      runs.set(path, run);
      return import(`${pathToFileURL(path)}${run === 1 ? '' : `?run=${run}`}`);
    },
  };
  return new Proxy(runtime, {
    get: (target, name) => {
      const value = replaced[name] ?? target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Called by jest for each test file. */
export default async function runTestFile(globalConfig, config, environment, runtime, testPath, ...rest) {
  forgetFormerFile();
  useOwnStacks();
  const results = await circus(
    globalConfig,
    config,
    environment,
    createNodeRuntime(runtime),
    testPath,
    ...rest,
  );
  // At its end, a worker would write the code of all its files, and jest kills workers that take half a second.
  flushCompileCache();
  return results;
}
