import { createReadPool, type DatabasePool, type PoolOptions } from '../../store/connection/read-pool.ts';
import { loadReplicaVersions } from '../../store/reads/data-versions.ts';
import { type DataWatch, watchData } from '../../store/reads/data-watch.ts';
import { ReplicaLink } from '../../store/replicas/replica-link.ts';

export interface ReplicaOptions extends Omit<PoolOptions, 'instance' | 'onQuery'> {
  name: string;
  versionTimeoutMs: number;
}

/** The connections to one instance of a replica, which is the server from its start to its end. */
export interface ReplicaInstance {
  id: string;
  pool: DatabasePool;
  versionPool: DatabasePool;
  data: DataWatch;
}

/** A gateway's view of a replica: the instance that answers, and connections to this instance only. */
export class Replica {
  readonly name: string;
  readonly #options: ReplicaOptions;
  readonly #link: ReplicaLink;
  #current: ReplicaInstance | null = null;

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.#options = options;
    this.#link = new ReplicaLink(options.databaseUrl);
  }

  /** The instance that answered the last check; null if none did. */
  get current(): ReplicaInstance | null {
    return this.#current;
  }

  /** Finds the instance that answers, and connects to it if it is new. Never rejects. */
  async check(): Promise<void> {
    try {
      const { instance, isReplica } = await this.#link.probe();
      if (isReplica && instance === this.#current?.id) return;
      await this.#leave();
      if (isReplica) this.#current = await this.#connect(instance);
    } catch {
      await this.#leave();
    }
  }

  async close(): Promise<void> {
    await this.#leave();
    await this.#link.close();
  }

  async #connect(instance: string): Promise<ReplicaInstance> {
    const { versionTimeoutMs, ...connection } = this.#options;
    const pool = await createReadPool({ ...connection, instance });
    const versionPool = await createReadPool({
      ...connection,
      instance,
      maxConnections: 1,
      connectionTimeoutMs: versionTimeoutMs,
      statementTimeoutMs: versionTimeoutMs,
    });
    return { id: instance, pool, versionPool, data: watchData(versionPool, loadReplicaVersions) };
  }

  /** Requests that use the instance continue; new ones do not get it. */
  async #leave(): Promise<void> {
    const current = this.#current;
    this.#current = null;
    if (current) void Promise.all([current.pool.end(), current.versionPool.end()]).catch(() => {});
  }
}
