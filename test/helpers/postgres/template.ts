import { migrateDatabase } from '../../../ops/commands/migrate.ts';
import { withClient } from './with-client.ts';

/** The database of the run's Postgres with the schema and no test's rows. */
const TEMPLATE = 'test_template';

function locate(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

async function create(server: string, name: string, options = ''): Promise<void> {
  await withClient(locate(server, 'postgres'), (admin) => admin.query(`CREATE DATABASE ${name} ${options}`));
}

/** Creates the template on a Postgres. */
export async function createTemplate(server: string): Promise<void> {
  await create(server, TEMPLATE);
  await migrateDatabase(locate(server, TEMPLATE));
}

/** Creates a database from its Postgres's template, which is faster than creating the schema. */
export async function copyTemplate(url: string): Promise<void> {
  // To copy files takes half the time of the usual strategy, which logs each page.
  await create(url, new URL(url).pathname.slice(1), `TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
}

/** Creates a database without a schema. */
export async function createEmpty(url: string): Promise<void> {
  await create(url, new URL(url).pathname.slice(1));
}

/** Creates a database with the schema on a Postgres without a template. */
export async function createMigrated(url: string): Promise<void> {
  await createEmpty(url);
  await migrateDatabase(url);
}
