/**
 * fast-check as tests import it. A property is tried with the same cases each time, as many as its test says, so that only
 * a change of the code can make it fail. `PROPERTY_FACTOR=50 npm test` tries fifty times as many, with other cases each
 * time. For mutants, `PROPERTY_LIMIT` is the most that are tried, and no simpler case of a failure is searched.
 */
import fc from 'fast-check/itself';

const factor = Number(process.env.PROPERTY_FACTOR ?? 1);
const limit = Number(process.env.PROPERTY_LIMIT ?? Number.POSITIVE_INFINITY);

fc.configureGlobal({
  ...(factor === 1 && { seed: 1 }),
  endOnFailure: limit < Number.POSITIVE_INFINITY,
  // The search for a simpler case of a failure ends here, in milliseconds.
  interruptAfterTimeLimit: 60_000 * factor,
});

function assert(property, parameters = {}) {
  const numRuns = Math.min((parameters.numRuns ?? 100) * factor, limit);
  return fc.assert(property, { ...parameters, numRuns });
}

export default { ...fc, assert };
