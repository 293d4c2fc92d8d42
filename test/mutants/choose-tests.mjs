/** Finds the test files that have to notice the mutants of a file, by following imports from tests to the code. */
import { globSync } from 'node:fs';
import path from 'node:path';
import { groups } from '../jest/groups.mjs';
import { readImports } from '../jest/imports.mjs';

const CODE =
  '{schemas,domain,intake,service,store,kafka,feed,administration,gateway,consumers,ops,clients}/**/*.ts';
/** The most test files for a file of code. They run once without a mutant, to see what they reach. */
const MOST_TESTS = 12;
/** They are at most this much farther than the nearest one. */
const MOST_FARTHER = 4;

/** The test files of `npm test`, without those of documents, which mutants leave alone. */
const tests = [...groups.unit, ...groups.servers].filter(
  (test) => !test.startsWith(path.resolve('test/docs')),
);

/** By file, the files that import it. */
const importers = new Map();
for (const file of globSync([CODE, 'test/**/*.ts'])) {
  for (const imported of readImports(file)) {
    importers.set(imported, [...(importers.get(imported) ?? []), path.resolve(file)]);
  }
}

/** The files that reach a file, each with the number of imports between them. */
function countSteps(file) {
  const steps = new Map([[path.resolve(file), 0]]);
  // A map also visits the entries that are added meanwhile.
  for (const [reached, count] of steps) {
    for (const importer of importers.get(reached) ?? []) {
      if (!steps.has(importer)) steps.set(importer, count + 1);
    }
  }
  return steps;
}

/** The files of code of a path, which may end with a range of lines, such as "domain/ranking.ts:10-20". */
export function findCode(given) {
  const [, place, lines = ''] = /^(.*?)\/?(:[\d:-]+)?$/.exec(path.normalize(given)) ?? [];
  const found = globSync([place, `${place}/**/*.ts`]).filter((file) => path.matchesGlob(file, CODE));
  return found.map((file) => ({ file, lines }));
}

/**
 * The nearest test files: those with the fewest steps to the code. A word that the paths share counts as a step less, so
 * that the tests of a room come before those that reach it through a whole service. Test files that are named like the
 * file, or like one that imports it, count as near even if they ask a whole service. None if no test file reaches it.
 */
export function chooseTests(file) {
  const steps = countSteps(file);
  const wordsOf = (name) => new Set(path.relative('.', name).match(/[a-z]+/gi));
  const distance = (test) => steps.get(test) - wordsOf(test).intersection(wordsOf(file)).size;
  const nameOf = (name) => path.basename(name).split('.')[0];
  const names = new Set([...steps].flatMap(([name, count]) => (count <= 1 ? nameOf(name) : [])));
  const reaching = tests.filter((test) => steps.has(test)).sort((a, b) => distance(a) - distance(b));
  const named = reaching.filter((test) => names.has(nameOf(test)));
  const near = reaching.filter((test) => distance(test) - distance(reaching[0]) <= MOST_FARTHER);
  const chosen = [...new Set([...named, ...near])].slice(0, MOST_TESTS);
  return chosen.sort((a, b) => distance(a) - distance(b)).map((test) => path.relative('.', test));
}
