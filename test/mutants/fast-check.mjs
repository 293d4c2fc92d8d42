/**
 * fast-check as the tests of mutants see it. Properties are tried with at most 100 cases, and one that fails is not
 * tried with simpler cases: a mutant is noticed either way.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js';

const MAX_RUNS = 100;

function assert(property, parameters = {}) {
  const numRuns = Math.min(parameters.numRuns ?? MAX_RUNS, MAX_RUNS);
  return fc.assert(property, { ...parameters, numRuns, endOnFailure: true });
}

export default { ...fc, assert };
