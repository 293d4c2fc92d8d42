import os from 'node:os';
import { groups } from './test/jest/groups.mjs';

/** What every test file needs: Node itself loads it and strips its types. */
export const shared = {
  roots: ['<rootDir>/test'],
  transform: {},
  testRunner: '<rootDir>/test/jest/runner.mjs',
};

/** One Postgres and one Kafka for the run, started only if a file of these groups is in it. */
const servers = {
  globalSetup: '<rootDir>/test/helpers/servers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/servers/global-teardown.ts',
};

export default {
  // Tests wait more than they compute. All workers share one broker and one Postgres.
  maxWorkers: Math.min(6, 2 * os.availableParallelism()),
  testSequencer: '<rootDir>/test/jest/sequencer.mjs',
  testTimeout: 120_000,
  projects: [
    { ...shared, displayName: 'unit', testMatch: groups.unit },
    { ...shared, ...servers, displayName: 'servers', testMatch: groups.servers },
    { ...shared, ...servers, displayName: 'system', testMatch: groups.system },
  ],
};
