import { createPgDriverFactory } from '@slonik/pg-driver';
import { BackendTerminatedError, type DriverClient, type DriverFactory } from 'slonik';
import { withDeadline } from '../../service/deadline.ts';
import { type ConnectionConfig, readConnectionConfig } from './connection-config.ts';
import { INSTANCE } from './instance.ts';

/** Every connection of this process, by the address of its server. */
const clientsOf = new Map<string, Set<DriverClient>>();

function connectionsTo(databaseUrl: string): Set<DriverClient> {
  const clients = clientsOf.get(databaseUrl) ?? new Set();
  clientsOf.set(databaseUrl, clients);
  return clients;
}

/**
 * Ends idle connections to a server. Otherwise each would cost its next user the same wait. A connection that
 * fails to end properly has ended already.
 */
function endIdle(clients: ReadonlySet<DriverClient>): void {
  for (const client of clients) if (client.state() === 'IDLE') client.destroy().catch(() => {});
}

function isSameConnection(a: ConnectionConfig, b: ConnectionConfig): boolean {
  const contextOf = ({ ssl }: ConnectionConfig) => (ssl ? ssl.secureContext : undefined);
  return a.connectionString === b.connectionString && contextOf(a) === contextOf(b);
}

/** @throws BackendTerminatedError if the connection leads to another run or another server */
async function requireInstance(
  client: DriverClient,
  query: DriverClient['query'],
  instance: string,
): Promise<void> {
  client.acquire();
  const { rows } = await query(`SELECT ${INSTANCE} AS instance`);
  if (rows[0]?.instance !== instance) {
    await client.destroy();
    throw new BackendTerminatedError(new Error('The address leads to another run of the server.'));
  }
  await client.release();
}

/**
 * slonik's driver, with a limit of `answerMs` for each answer. The statement timeout alone is not enough: the
 * server enforces it, so a server that vanishes silently would leave queries waiting for ever.
 *
 * slonik ends a connection after a failed query. This driver also ends the idle connections.
 *
 * @param instance the run of the server that connections must lead to, if any
 */
export function createDriver(databaseUrl: string, answerMs: number, instance?: string): DriverFactory {
  const createPgDriver = createPgDriverFactory();
  const clients = connectionsTo(databaseUrl);
  const answerWithin = <T>(ms: number, answer: Promise<T>): Promise<T> =>
    withDeadline(answer, ms, () => new BackendTerminatedError(new Error(`No answer within ${ms} ms.`)));
  return async ({ driverConfiguration }) => {
    // The factory connects and asks for the OIDs of types, so it runs again only after certificates or a
    // password changed.
    const open = async () => {
      const present = readConnectionConfig(databaseUrl);
      const { connectionString: connectionUri, ssl } = present;
      const driver = await answerWithin(
        2 * answerMs,
        createPgDriver({
          driverConfiguration: { ...driverConfiguration, connectionUri, ...(ssl && { ssl }) },
        }),
      );
      return { present, driver };
    };
    let opened = await open();
    const createClient = async (): Promise<DriverClient> => {
      if (!isSameConnection(opened.present, readConnectionConfig(databaseUrl))) opened = await open();
      const client = await opened.driver.createClient();
      clients.add(client);
      client.on('destroy', () => clients.delete(client));
      const query: DriverClient['query'] = async (...args) => {
        try {
          return await answerWithin(answerMs, client.query(...args));
        } catch (error) {
          if (error instanceof BackendTerminatedError) endIdle(clients);
          throw error;
        }
      };
      if (instance !== undefined) await requireInstance(client, query, instance);
      return { ...client, query };
    };
    return { createClient };
  };
}
