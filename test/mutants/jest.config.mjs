/** The tests of one file. run.ts starts their servers once for all mutants, so jest does not start them. */
import { shared } from '../../jest.config.mjs';

export default {
  ...shared,
  rootDir: '../..',
  testTimeout: 10_000,
  testSequencer: '<rootDir>/test/mutants/test-sequencer.mjs',
  testRunner: '<rootDir>/test/mutants/jest-circus-runner.mjs',
  testMatch: (process.env.MUTANT_TESTS ?? '').split(' ').map((name) => `<rootDir>/${name}`),
};
