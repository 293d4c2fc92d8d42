/**
 * The fast-check of the tests. A property is tried with the same cases each time, as many as its test says, so that
 * only a change of the code can make it fail. `PROPERTY_FACTOR=50 npm test` tries fifty times as many, with other cases
 * each time. `PROPERTY_LIMIT` bounds their number, as `npm run test:unit` and mutants do. Failures of mutants are not
 * simplified.
 */
import fc from 'fast-check/itself';

const factor = Number(process.env.PROPERTY_FACTOR ?? 1);
const limit = Number(process.env.PROPERTY_LIMIT ?? Number.POSITIVE_INFINITY);

fc.configureGlobal({
  ...(factor === 1 && { seed: 1 }),
  endOnFailure: process.env.MUTANT_TESTS !== undefined,
  // The longest search for a simpler case of a failure, in milliseconds.
  interruptAfterTimeLimit: 60_000 * factor,
});

function assert(property, parameters = {}) {
  const numRuns = Math.min((parameters.numRuns ?? 100) * factor, limit);
  // Without a search, the limit would only interrupt a slow case.
  const limits = parameters.endOnFailure ? { interruptAfterTimeLimit: undefined } : {};
  return fc.assert(property, { ...parameters, ...limits, numRuns });
}

export default { ...fc, assert };
