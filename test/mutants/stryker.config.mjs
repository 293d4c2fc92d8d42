/** StrykerJS for one file, as run.ts calls it. */
export default {
  testRunner: 'jest',
  jest: {
    configFile: 'test/mutants/jest.config.mjs',
    // This would follow only direct imports, and miss tests that reach a mutant through other rooms.
    enableFindRelatedTests: false,
  },
  // Only the tests that reach a mutant; test-sequencer.mjs leaves out the files of the others.
  coverageAnalysis: 'perTest',
  // Values from loading a file: each mutant of them would need all tests.
  ignoreStatic: process.env.MUTANT_STATIC !== '1',
  concurrency: 1,
  // Open connections and loaded values end with the process of the tests.
  maxTestRunnerReuse: process.env.MUTANT_STATIC === '1' ? 1 : 50,
  // Tests notice an endless mutant by this time, in addition to the duration of its tests without it.
  timeoutFactor: 1,
  timeoutMS: 6000,
  // Node and swc strip types, and StrykerJS cannot read tsconfig.json with TypeScript 7.
  disableTypeChecks: false,
  tsconfigFile: 'none',
  ignorePatterns: ['.cache', '.data', 'bench'],
  tempDirName: '.cache/mutants',
  // It would warn of each test that jest-circus-runner.mjs leaves out.
  logLevel: 'error',
  reporters: ['progress-append-only', 'clear-text', 'html'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: `.cache/mutants-${process.env.MUTANT_FILE}.html` },
};
