/** Leaves out test files that do not reach a mutant, because jest would load them for nothing. The nearest come first. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const requireFromJest = createRequire(createRequire(import.meta.url).resolve('jest/package.json'));
const requireFromCore = createRequire(requireFromJest.resolve('@jest/core'));
const { default: TestSequencer } = requireFromCore('@jest/test-sequencer');

const placeOf = ({ path }) => process.env.MUTANT_TESTS.split(' ').findIndex((name) => path.endsWith(name));

export default class MutantTestSequencer extends TestSequencer {
  #pattern;

  constructor(options) {
    super(options);
    this.#pattern = options.globalConfig.testNamePattern;
  }

  sort(tests) {
    if (!this.#pattern) return super.sort(tests);
    const wanted = new RegExp(this.#pattern, 'i');
    const names = JSON.parse(readFileSync(process.env.MUTANT_NOTES, 'utf8'));
    return tests
      .filter(({ path }) => names[path]?.some((name) => wanted.test(name)))
      .sort((a, b) => placeOf(a) - placeOf(b));
  }
}
