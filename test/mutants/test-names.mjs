/** The first run's notes about the test files, without a mutant. The later processes of StrykerJS read them too. */
import { readFileSync, writeFileSync } from 'node:fs';

/** In StrykerJS's copy of the tree, which it removes. */
const FILE = '.test-names.json';

/** By test file: the names of its tests, and its duration in milliseconds. */
export function readTestNames() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return {};
  }
}

/** Notes a test file. */
export function noteTestNames(testPath, names, tookMs) {
  writeFileSync(FILE, JSON.stringify({ ...readTestNames(), [testPath]: { names, tookMs } }));
}
