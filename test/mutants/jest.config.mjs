/** The tests of one room. run.ts starts their servers once for all mutants, so that jest starts none. */
import { fileURLToPath } from 'node:url';
import base from '../../jest.config.mjs';

const { globalSetup, globalTeardown, ...rest } = base;

export default {
  ...rest,
  rootDir: '../..',
  testTimeout: 10_000,
  testSequencer: '<rootDir>/test/mutants/test-sequencer.mjs',
  testRunner: '<rootDir>/test/mutants/jest-circus-runner.mjs',
  moduleNameMapper: {
    '^fast-check$': '<rootDir>/test/mutants/fast-check.mjs',
    '^fast-check/itself$': fileURLToPath(import.meta.resolve('fast-check')),
  },
  testMatch: (process.env.MUTANT_TESTS ?? '').split(' ').map((glob) => `<rootDir>/${glob}`),
};
