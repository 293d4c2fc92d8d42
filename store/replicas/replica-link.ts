import type { Client } from 'pg';
import { createClient } from '../connection/client.ts';
import { INSTANCE } from '../connection/instance.ts';
import { onlyRow } from '../connection/only-row.ts';

const TIMEOUT_MS = 1000;

/** The state of an expected replica, in one snapshot. */
export interface ReplicaState {
  /** Whether it replays another server's log. False after a promotion. */
  isReplica: boolean;
  instance: string;
  /** The relay's mark that its reads show: lineage and number. */
  lineage: string;
  number: number;
}

/** A connection that asks a replica for its state. Connects on demand, and again after a loss. */
export class ReplicaLink {
  readonly #databaseUrl: string;
  readonly #timeoutMs: number;
  #client: Promise<Client> | undefined;

  /** @param timeoutMs the limit for connecting and for asking, in milliseconds each */
  constructor(databaseUrl: string, timeoutMs = TIMEOUT_MS) {
    this.#databaseUrl = databaseUrl;
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects within twice the time limit if the server does not answer. */
  async probe(): Promise<ReplicaState> {
    const connecting = this.#connect();
    this.#client = connecting;
    try {
      const client = await connecting;
      const found = await client.query<ReplicaState>({
        name: 'probe',
        text: `SELECT pg_is_in_recovery() AS "isReplica", ${INSTANCE} AS instance, lineage, number::float8 AS number
          FROM replica_fence`,
      });
      return onlyRow(found, 'replica_fence');
    } catch (error) {
      if (this.#client === connecting) this.#client = undefined;
      await this.#end(connecting);
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#client) await this.#end(this.#client);
    this.#client = undefined;
  }

  #connect(): Promise<Client> {
    if (this.#client) return this.#client;
    const client = createClient(this.#databaseUrl, {
      connectionTimeoutMillis: this.#timeoutMs,
      query_timeout: this.#timeoutMs,
      application_name: 'ballot-endorsements-replica-link',
    });
    const connecting = client.connect().then(() => client);
    // A lost connection fails its waiting query; the next probe replaces an idle connection.
    client.on('error', () => {
      if (this.#client === connecting) this.#client = undefined;
    });
    return connecting;
  }

  /** Does not wait, because a silent server would delay a proper end. */
  async #end(connecting: Promise<Client>): Promise<void> {
    const client = await connecting.catch(() => null);
    void client?.end().catch(() => {});
  }
}
