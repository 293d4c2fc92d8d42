import os from 'node:os';
import type pg from 'pg';
import type { ClientBase } from 'pg';
import { checkDatabaseUrl } from '../service/database-address.ts';
import { explainDatabaseRefusal } from '../service/explain-failure.ts';
import { OperatorError } from '../service/operator-error.ts';
import { readEnv } from '../service/running-service.ts';
import type { Actor } from '../store/accounts/audit-log.ts';
import { createClient, endClient } from '../store/connection/client.ts';
import { describeDatabaseClient } from '../store/connection/connection-config.ts';
import { PATIENT_SESSION } from '../store/connection/session.ts';
import { sqlStateOf } from '../store/connection/sql-state.ts';
import type { CommandIo } from './command.ts';
import { createDatabaseConfig } from './config.ts';

/** The longest wait for a connection. */
const CONNECT_TIMEOUT_MS = 10_000;

/** @throws SettingError, OperatorError as withDatabase does */
async function connect(databaseUrl: string, name: string): Promise<pg.Client> {
  checkDatabaseUrl(databaseUrl);
  const client = createClient(databaseUrl, {
    ...PATIENT_SESSION,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A lost connection also fails the waiting query, and that failure is reported.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    await endClient(client).catch(() => {});
    throw new OperatorError(describeUnusable(client, error, databaseUrl), { cause: error });
  }
  return client;
}

/** Describes a failed connection without its password. */
function describeUnusable({ host, port }: pg.Client, error: unknown, databaseUrl: string): string {
  const server = `Postgres at ${host}:${port}`;
  const refusal = explainDatabaseRefusal(error as Error, server, describeDatabaseClient(databaseUrl));
  if (refusal !== null) return refusal;
  const reason = reasonOf(error);
  if (sqlStateOf(error) !== null) return `${server} does not accept connections: ${reason}.`;
  return `${server} does not answer (${reason}): start it, or name another in DATABASE_URL.`;
}

/** A host with several addresses has one failure for each, and an empty message as a whole. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs `work` on its own connection.
 *
 * @param name the connection's name in Postgres
 * @throws SettingError if DATABASE_URL is malformed
 * @throws OperatorError if Postgres cannot be reached, refuses the user, or has an older schema or none
 */
export async function withDatabase<T>(
  databaseUrl: string,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connect(databaseUrl, name);
  try {
    return await work(client);
  } catch (error) {
    throw nameDatabase(error, client);
  } finally {
    await endClient(client).catch(() => {});
  }
}

/** Turns a failed query into an OperatorError if the operator can fix it; other errors stay. */
function nameDatabase(error: unknown, { host, port, database }: pg.Client): unknown {
  // Only the query's own code counts: inside a failed migration, the same code is a defect.
  const refusal = explainDatabaseRefusal(
    error as Error,
    `The database "${database}" at ${host}:${port}`,
    null,
  );
  return refusal === null ? error : new OperatorError(refusal, { cause: error });
}

/**
 * Connects once, to report an unusable database before any work begins.
 *
 * @throws SettingError, OperatorError as withDatabase does
 */
export async function requireDatabase(databaseUrl: string): Promise<void> {
  await withDatabase(databaseUrl, 'ops', async () => {});
}

/**
 * Runs `work` in one transaction on its own connection. The transaction commits when `work` resolves, and rolls back
 * when it throws.
 *
 * @throws SettingError, OperatorError as withDatabase does
 */
export async function inOneTransaction<T>(
  databaseUrl: string,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  return withDatabase(databaseUrl, 'ops', async (client) => {
    await client.query('BEGIN');
    // If `work` throws, closing the connection rolls the transaction back.
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });
}

/**
 * Runs `work` in one transaction on the database that the command's settings name.
 *
 * @throws SettingError, OperatorError as inOneTransaction does, or if no database is named
 */
export async function inDatabaseOf<T>(
  { env }: Pick<CommandIo, 'env'>,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  return inOneTransaction(createDatabaseConfig(readEnv(env)).databaseUrl, work);
}

/** The operating system's user that runs this command, for the audit log. */
export function currentActor(): Actor {
  try {
    return { osUser: os.userInfo().username, person: null };
  } catch {
    // A container's user may have a number but no name.
    return { osUser: null, person: null };
  }
}
