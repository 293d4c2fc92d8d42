import pg, { type ClientConfig } from 'pg';
import { readConnectionConfig } from './connection-config.ts';

/**
 * Creates an unconnected client for a database. Only this function creates clients of `pg`.
 *
 * @throws SettingError if the address cannot be used
 */
export function createClient(
  databaseUrl: string,
  config: Omit<ClientConfig, 'connectionString' | 'ssl'> = {},
): pg.Client {
  return new pg.Client({ ...config, ...readConnectionConfig(databaseUrl) });
}

/** How long a connection may take to end gracefully, in milliseconds. */
export const GOODBYE_MS = 500;

/** Ends a connection. A server that has fallen silent never answers the goodbye, so the wait for it is short. */
export async function endClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS);
  try {
    await client.end();
  } finally {
    clearTimeout(timer);
  }
}

/** A pool of connections to a database. Each new connection uses the current certificates and password. */
export function createClientPool(
  databaseUrl: string,
  config: Omit<pg.PoolConfig, 'connectionString' | 'ssl'>,
): pg.Pool {
  class Client extends pg.Client {
    constructor(present: ClientConfig = {}) {
      super({ ...present, ...readConnectionConfig(databaseUrl) });
    }
  }
  // Checks the settings before the first connection.
  readConnectionConfig(databaseUrl);
  return new pg.Pool({ ...config, Client });
}
