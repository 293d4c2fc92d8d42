import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateDatabase } from '../../ops/commands/migrate.ts';
import { testServers } from './servers.ts';

export interface TestDatabase {
  /** A connection string of a database with the newest schema and nothing in it. */
  url: string;
  drop(): Promise<void>;
}

async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: testServers().databaseUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** A database of the test file's own on the run's Postgres. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(`CREATE DATABASE ${name}`);
  const url = new URL(testServers().databaseUrl);
  url.pathname = `/${name}`;
  await migrateDatabase(url.href);
  return { url: url.href, drop: () => asAdmin(`DROP DATABASE ${name} WITH (FORCE)`) };
}
