import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import pg from 'pg';
import { migrateDatabase } from '../../ops/commands/migrate.ts';
import { testServers } from './servers.ts';

/** The address of a database that does not exist yet, on a Postgres: by default that of this test run. */
export function chooseDatabaseUrl(server = testServers().databaseUrl): string {
  const url = new URL(server);
  url.pathname = `/test_${randomBytes(6).toString('hex')}`;
  return url.href;
}

/** Creates a database without a schema. */
export async function createEmptyDatabase(url: string): Promise<void> {
  const admin = new pg.Client({
    connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href,
  });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE ${new URL(url).pathname.slice(1)}`);
  } finally {
    await admin.end();
  }
}

/**
 * Creates an empty database with the newest schema. It is never dropped: it goes away with the run's Postgres, so
 * tests may close their connections in any order.
 *
 * @returns its address
 */
export async function createTestDatabase(url = chooseDatabaseUrl()): Promise<string> {
  await createEmptyDatabase(url);
  await migrateDatabase(url);
  return url;
}

/** Gives a test file a client that is connected while its tests run. */
export function useClient(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url });
  beforeAll(() => client.connect());
  afterAll(() => client.end());
  return client;
}

/** Gives a test file an empty database of its own, and a client that is connected to it while its tests run. */
export function useTestDatabase(): { url: string; client: pg.Client } {
  const url = chooseDatabaseUrl();
  beforeAll(async () => {
    await createTestDatabase(url);
  });
  return { url, client: useClient(url) };
}
