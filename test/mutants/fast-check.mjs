/**
 * fast-check as the tests of mutants see it. Properties are tried with at most 100 cases, and one that fails is not
 * tried with simpler cases: a mutant is noticed either way.
 */
import fc from 'fast-check/itself';

const MAX_RUNS = 100;

function assert(property, parameters = {}) {
  const numRuns = Math.min(parameters.numRuns ?? MAX_RUNS, MAX_RUNS);
  return fc.assert(property, { ...parameters, numRuns, endOnFailure: true });
}

export default { ...fc, assert };
