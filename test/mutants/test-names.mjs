/** What the first run, which has no mutant, tells about the test files. The later processes of StrykerJS read it too. */
import { readFileSync, writeFileSync } from 'node:fs';

/** In StrykerJS's copy of the tree, which it removes. */
const FILE = '.test-names.json';

/** By test file: the names of its tests, and how long it took, in milliseconds. */
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
