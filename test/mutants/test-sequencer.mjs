/**
 * Leaves out test files that do not reach a mutant, because jest would load them for nothing. The fastest come first.
 */
import { createRequire } from 'node:module';
import { readTestNames } from './test-names.mjs';

const requireFromJest = createRequire(createRequire(import.meta.url).resolve('jest/package.json'));
const requireFromCore = createRequire(requireFromJest.resolve('@jest/core'));
const { default: TestSequencer } = requireFromCore('@jest/test-sequencer');

export default class MutantTestSequencer extends TestSequencer {
  #pattern;

  constructor(options) {
    super(options);
    this.#pattern = options.globalConfig.testNamePattern;
  }

  sort(tests) {
    if (!this.#pattern) return super.sort(tests);
    const wanted = new RegExp(this.#pattern, 'i');
    const known = readTestNames();
    return tests
      .filter(({ path }) => known[path]?.names.some((name) => wanted.test(name)))
      .sort((a, b) => known[a.path].tookMs - known[b.path].tookMs);
  }
}
