import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import pg from 'pg';
import { testServers } from '../servers/servers.ts';
import { copyTemplate, createMigrated } from './template.ts';

/** The address of a database that does not exist yet; by default on this test run's Postgres. */
export function chooseDatabaseUrl(server = testServers().databaseUrl): string {
  return Object.assign(new URL(server), { pathname: `/test_${randomBytes(6).toString('hex')}` }).href;
}

/**
 * Creates an empty database with the newest schema. It ends with the run's Postgres and is never dropped, so tests may
 * close their connections in any order.
 *
 * @returns its address
 */
export async function createTestDatabase(url = chooseDatabaseUrl()): Promise<string> {
  const isOfRun = new URL(url).host === new URL(testServers().databaseUrl).host;
  await (isOfRun ? copyTemplate(url) : createMigrated(url));
  return url;
}

/** Gives a test file a connected client while its tests run. */
export function useClient(url: string, config: pg.ClientConfig = {}): pg.Client {
  const client = new pg.Client({ connectionString: url, ...config });
  beforeAll(() => client.connect());
  afterAll(() => client.end());
  return client;
}

/** Gives a test file a pool of connections, which ends with its tests. */
export function usePool(url: string, config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...config });
  afterAll(() => pool.end());
  return pool;
}

/** Gives a test file its own empty database, and a connected client while its tests run. */
export function useTestDatabase(config: pg.ClientConfig = {}): { url: string; client: pg.Client } {
  const url = chooseDatabaseUrl();
  beforeAll(async () => {
    await createTestDatabase(url);
  });
  return { url, client: useClient(url, config) };
}
