import type { Client, Pool } from 'pg';
import { SupersededError } from '../../service/failure.ts';

/** A run of a replica, as the primary lists it. */
export interface ListedReplica {
  instance: string;
  /** Its address: host and port. */
  name: string;
  inUse: boolean;
}

/** After this time without a confirmation, gateways stop reading from a replica: no process watches its lag. */
const UNWATCHED = "interval '10 seconds'";

/** The runs that gateways may read from now. */
export async function loadUsableReplicas(client: Pool): Promise<string[]> {
  const { rows } = await client.query<{ instance: string }>(
    `SELECT instance FROM read_replicas WHERE in_use AND confirmed_at > clock_timestamp() - ${UNWATCHED}`,
  );
  return rows.map(({ instance }) => instance);
}

/** All runs that are in use, or were within the last day. */
export async function listReplicas(client: Client): Promise<ListedReplica[]> {
  const { rows } = await client.query<ListedReplica>(
    `SELECT instance, name, in_use AS "inUse" FROM read_replicas
     WHERE in_use OR changed_at > clock_timestamp() - interval '1 day' ORDER BY in_use DESC, changed_at DESC`,
  );
  return rows;
}

/** The primary's list of replicas, written by the leader of the relay. A new leader ends the right to write. */
export class ReplicaRegistry {
  readonly #client: Client;
  readonly lineage: string;

  private constructor(client: Client, lineage: string) {
    this.#client = client;
    this.lineage = lineage;
  }

  /** Begins a lineage: from now on, no earlier leader can write. */
  static async begin(client: Client): Promise<{ registry: ReplicaRegistry; known: ListedReplica[] }> {
    const { rows } = await client.query<{ lineage: string }>(
      'UPDATE replica_fence SET lineage = gen_random_uuid(), number = 0 RETURNING lineage',
    );
    const lineage = rows[0]?.lineage ?? '';
    return { registry: new ReplicaRegistry(client, lineage), known: await listReplicas(client) };
  }

  /** The same registry on another connection. */
  on(client: Client): ReplicaRegistry {
    return new ReplicaRegistry(client, this.lineage);
  }

  /** Raises the mark above all committed changes. @returns its number */
  async raise(): Promise<number> {
    const { rows } = await this.#client.query<{ number: number }>({
      name: 'raise-fence',
      text: 'UPDATE replica_fence SET number = number + 1 WHERE lineage = $1 RETURNING number::float8 AS number',
      values: [this.lineage],
    });
    if (!rows[0]) throw superseded();
    return rows[0].number;
  }

  /** Puts a run into use. */
  async admit({ instance, name }: { instance: string; name: string }): Promise<void> {
    await this.#write(
      `INSERT INTO read_replicas (instance, name, in_use) SELECT $2, $3, true FROM mine
       ON CONFLICT (instance) DO UPDATE SET name = excluded.name, in_use = true, confirmed_at = clock_timestamp(),
         changed_at = clock_timestamp()`,
      [instance, name],
    );
  }

  /** Takes runs out of use, and deletes those unused for a day. */
  async exclude(instances: readonly string[]): Promise<void> {
    await this.#write(
      `UPDATE read_replicas SET in_use = false, changed_at = clock_timestamp() FROM mine
       WHERE instance = ANY ($2::text[])`,
      [instances],
    );
    await this.#client.query(
      `DELETE FROM read_replicas WHERE NOT in_use AND changed_at < clock_timestamp() - interval '1 day'`,
    );
  }

  /** Records that the runs in use are up to date. */
  async confirm(): Promise<void> {
    await this.#write('UPDATE read_replicas SET confirmed_at = clock_timestamp() FROM mine WHERE in_use', []);
  }

  /** The lock orders this statement before the next leader's first one, which then sees its effect, or after it. */
  async #write(statement: string, values: readonly unknown[]): Promise<void> {
    const { rows } = await this.#client.query<{ mine: boolean }>(
      `WITH mine AS MATERIALIZED (SELECT FROM replica_fence WHERE lineage = $1 FOR SHARE), written AS (
         ${statement} RETURNING 1)
       SELECT EXISTS (SELECT FROM mine) AS mine`,
      [this.lineage, ...values],
    );
    if (!rows[0]?.mine) throw superseded();
  }
}

function superseded(): SupersededError {
  return new SupersededError('Another process leads the relay and manages the replicas.');
}
