/** What the interface once had (specification, "Versioning"): refused with a word on what to use instead. */

const LOCATION =
  'Address and geography lookups were retired. Choose contests by state, election or contest id.';

const PARAMETERS = new Set(['location', 'address', 'zip', 'city', 'county', 'lat', 'lng']);

const PATHS: readonly [RegExp, string][] = [
  [/^\/v1\/ballot\/?$/, `${LOCATION} Use /v1/contests or /v1/recommendations.`],
  [/^\/v1\/districts(\/[^/]+)?\/?$/, `${LOCATION} Districts are named on each contest: use /v1/contests.`],
  [/^\/v1\/representatives\/?$/, `${LOCATION} Use /v1/officeholders.`],
];

/** Why a parameter of this name is refused, or undefined where it never was one. */
export function findRetiredParameter(name: string): string | undefined {
  return PARAMETERS.has(name) ? `The parameter ${name} was retired. ${LOCATION}` : undefined;
}

/** Why nothing is at this path any more, or undefined where nothing ever was. */
export function findRetiredPath(path: string): string | undefined {
  const retired = PATHS.find(([pattern]) => pattern.test(path));
  return retired && `${path} was removed. ${retired[1]}`;
}
