/** Tests run as ES modules, and swc strips their types. One broker and one Postgres serve the whole run. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/test/helpers/servers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/servers/global-teardown.ts',
  setupFiles: ['<rootDir>/test/helpers/servers/shared-output.ts'],
  maxWorkers: 2,
  testTimeout: 120_000,
};
