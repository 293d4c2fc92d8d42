import pg, { type ClientConfig } from 'pg';
import { readConnectionConfig } from './connection-config.ts';

/**
 * A connection to a database, not connected yet. The one place where clients of `pg` are made.
 *
 * @throws SettingError if the address cannot be used
 */
export function createClient(
  databaseUrl: string,
  config: Omit<ClientConfig, 'connectionString' | 'ssl'> = {},
): pg.Client {
  return new pg.Client({ ...config, ...readConnectionConfig(databaseUrl) });
}

/** A pool of connections to a database; each is made with the certificates and password of that moment. */
export function createClientPool(
  databaseUrl: string,
  config: Omit<pg.PoolConfig, 'connectionString' | 'ssl'>,
): pg.Pool {
  class Client extends pg.Client {
    constructor(present: ClientConfig = {}) {
      super({ ...present, ...readConnectionConfig(databaseUrl) });
    }
  }
  // The settings are checked before the first connection.
  readConnectionConfig(databaseUrl);
  return new pg.Pool({ ...config, Client });
}
