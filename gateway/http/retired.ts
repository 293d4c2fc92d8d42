/* Parameters and paths that the API had before (specification, "Versioning"). Their errors name the replacement. */

const LOCATION =
  'Address and geography lookups were retired. Choose contests by state, election or contest id.';

const PARAMETERS = new Set(['location', 'address', 'zip', 'city', 'county', 'lat', 'lng']);

const PATHS: readonly [RegExp, string][] = [
  [/^\/v1\/ballot$/, `${LOCATION} Use /v1/contests or /v1/recommendations.`],
  [/^\/v1\/districts(\/[^/]+)?$/, `${LOCATION} Districts are named on each contest: use /v1/contests.`],
  [/^\/v1\/representatives$/, `${LOCATION} Use /v1/officeholders.`],
];

/** Returns the message for a retired parameter; undefined for any other name. */
export function findRetiredParameter(name: string): string | undefined {
  return PARAMETERS.has(name) ? `The parameter ${name} was retired. ${LOCATION}` : undefined;
}

/** Returns the message for a retired path; undefined for any other path. */
export function findRetiredPath(path: string): string | undefined {
  const retired = PATHS.find(([pattern]) => pattern.test(path));
  return retired && `${path} was removed. ${retired[1]}`;
}
