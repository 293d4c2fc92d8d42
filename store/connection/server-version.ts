/** The oldest tested major version of Postgres. Older ones lack syntax that statements use. */
const OLDEST = 16;

/**
 * The sentence that refuses a version of Postgres; null if it is supported.
 *
 * @param version as `server_version` has it: `16.14 (Debian 16.14-1)`
 */
export function refuseOldServer(version: string): string | null {
  if (Number.parseInt(version, 10) >= OLDEST) return null;
  return `Postgres ${version} is too old: the service needs Postgres ${OLDEST} or newer.`;
}
