/** StrykerJS for one room, as run.ts calls it. */
export default {
  testRunner: 'jest',
  jest: {
    configFile: 'test/mutants/jest.config.mjs',
    // This would follow direct imports alone, and leave out tests that reach a mutant through other rooms.
    enableFindRelatedTests: false,
  },
  // Per mutant, only the tests that reach it; test-sequencer.mjs leaves out the files of the others.
  coverageAnalysis: 'perTest',
  // Values that are made when a file is loaded, for each of which all tests would have to run.
  ignoreStatic: process.env.MUTANT_STATIC !== '1',
  concurrency: 1,
  // What tests leave open, such as connections, ends with their process; so do the values of loaded files.
  maxTestRunnerReuse: process.env.MUTANT_STATIC === '1' ? 1 : 50,
  // A mutant that never ends is one that tests notice. This is added to the time of its tests without it.
  timeoutFactor: 1,
  timeoutMS: 6000,
  // Node and swc strip types, and StrykerJS cannot read tsconfig.json with TypeScript 7.
  disableTypeChecks: false,
  tsconfigFile: 'none',
  ignorePatterns: ['.cache', '.data', 'bench', 'docs'],
  tempDirName: '.cache/mutants',
  reporters: ['progress-append-only', 'clear-text', 'html'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: `.cache/mutants-${process.env.MUTANT_ROOM}.html` },
};
