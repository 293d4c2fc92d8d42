import os from 'node:os';
import pg, { type ClientBase } from 'pg';
import { checkDatabaseUrl } from '../service/environment.ts';
import { OperatorError } from '../service/operator-error.ts';
import type { Actor } from '../store/accounts/audit-log.ts';
import { PATIENT_SESSION } from '../store/connection/session.ts';
import {
  INSUFFICIENT_PRIVILEGE,
  REFUSED_USER_CLASS,
  sqlStateOf,
  UNDEFINED_DATABASE,
  UNDEFINED_TABLE,
} from '../store/connection/sql-state.ts';

/** A server that does not answer by then is taken for one that is not there. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A connection to the database; fails as withDatabase says. */
async function connect(databaseUrl: string, name: string): Promise<pg.Client> {
  const client = createClient(databaseUrl, name);
  // A lost connection also fails the query that waits on it, which says so.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => {});
    throw new OperatorError(describeUnusable(client, error), { cause: error });
  }
  return client;
}

function createClient(databaseUrl: string, name: string): pg.Client {
  checkDatabaseUrl(databaseUrl);
  try {
    return new pg.Client({
      ...PATIENT_SESSION,
      connectionString: databaseUrl,
      application_name: name,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
  } catch (cause) {
    // Such as a file with a certificate, named in it, that is not there.
    throw new OperatorError(`DATABASE_URL cannot be used: ${reasonOf(cause)}.`, { cause });
  }
}

/** Why a connection was not made, without the password that was used. */
function describeUnusable({ host, port, user, database }: pg.Client, error: unknown): string {
  const server = `Postgres at ${host}:${port}`;
  const reason = reasonOf(error);
  const state = sqlStateOf(error);
  if (state === UNDEFINED_DATABASE) {
    return `${server} has no database "${database}": make it, or name another in DATABASE_URL.`;
  }
  // Without a password the client gives up by itself, and says so in terms of SASL.
  if (state?.startsWith(REFUSED_USER_CLASS) || reason.startsWith('SASL')) {
    return `${server} refuses the user "${user}" (${reason}): put right the user and password in DATABASE_URL.`;
  }
  if (state !== null) return `${server} takes no connection: ${reason}.`;
  return `${server} does not answer (${reason}): see that it runs, or name another in DATABASE_URL.`;
}

/** A name with several addresses fails once for each, and says nothing as a whole. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs `work` on a connection of its own.
 *
 * @param name what Postgres lists the connection as
 * @throws SettingError where DATABASE_URL has another form; OperatorError where Postgres is away, refuses us, or has not the
 *   service's schema
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
    await client.end().catch(() => {});
  }
}

/** What to throw where a query failed for what the operator can mend; anything else stays as it is. */
function nameDatabase(error: unknown, { host, port, user, database }: pg.Client): unknown {
  // The query's own code: within a migration that failed it would mean a defect.
  const { code } = error as { code?: unknown };
  const where = `The database "${database}" at ${host}:${port}`;
  if (code === UNDEFINED_TABLE) {
    return new OperatorError(
      `${where} has not the service's schema (${reasonOf(error)}): "npm run ops -- migrate" makes it.`,
      { cause: error },
    );
  }
  if (code === INSUFFICIENT_PRIVILEGE) {
    return new OperatorError(
      `${where} does not let the user "${user}" do that (${reasonOf(error)}): name its owner in DATABASE_URL.`,
      { cause: error },
    );
  }
  return error;
}

/**
 * Connects once, for the sake of what is said where that fails.
 *
 * @throws SettingError, OperatorError as withDatabase does
 */
export async function requireDatabase(databaseUrl: string): Promise<void> {
  await withDatabase(databaseUrl, 'ops', async () => {});
}

/**
 * Runs `work` in one transaction on a connection of its own: committed when it resolves, undone when it throws.
 *
 * @throws SettingError, OperatorError as withDatabase does
 */
export async function inOneTransaction<T>(
  databaseUrl: string,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  return withDatabase(databaseUrl, 'ops', async (client) => {
    await client.query('BEGIN');
    // What is not committed is undone with the connection.
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });
}

/** Who runs this command, for the audit log. */
export function currentActor(): Actor {
  try {
    return { osUser: os.userInfo().username };
  } catch {
    // In a container the user may be a number without a name.
    return { osUser: null };
  }
}
