import { SharedRuns } from '../../service/shared-runs.ts';
import { createReadPool, type DatabasePool } from '../../store/connection/read-pool.ts';
import { type DataVersions, loadReplicaVersions } from '../../store/reads/data-versions.ts';
import { ReplicaLink } from '../../store/replicas/replica-link.ts';

export interface ReplicaOptions {
  name: string;
  databaseUrl: string;
  maxConnections: number;
  connectionTimeoutMs: number;
  statementTimeoutMs: number;
  versionTimeoutMs: number;
}

/** The connections to one run of a replica. */
export interface Run {
  instance: string;
  pool: DatabasePool;
  versionPool: DatabasePool;
  dataVersion: SharedRuns<DataVersions>;
}

/** A replica as a gateway sees it: which run of it answers, and connections that lead to this run and no other. */
export class Replica {
  readonly name: string;
  readonly #options: ReplicaOptions;
  readonly #link: ReplicaLink;
  #run: Run | null = null;

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.#options = options;
    this.#link = new ReplicaLink(options.databaseUrl);
  }

  /** The run that has answered lately; null if none has. */
  get run(): Run | null {
    return this.#run;
  }

  /** Looks which run answers, and connects to a new one. Never rejects. */
  async check(): Promise<void> {
    try {
      const { instance, isReplica } = await this.#link.look();
      if (isReplica && instance === this.#run?.instance) return;
      await this.#leave();
      if (isReplica) this.#run = await this.#connect(instance);
    } catch {
      await this.#leave();
    }
  }

  async close(): Promise<void> {
    await this.#leave();
    await this.#link.close();
  }

  async #connect(instance: string): Promise<Run> {
    const { databaseUrl, maxConnections, connectionTimeoutMs, statementTimeoutMs, versionTimeoutMs } =
      this.#options;
    const pool = await createReadPool({
      databaseUrl,
      instance,
      maxConnections,
      connectionTimeoutMs,
      statementTimeoutMs,
    });
    const versionPool = await createReadPool({
      databaseUrl,
      instance,
      maxConnections: 1,
      connectionTimeoutMs: versionTimeoutMs,
      statementTimeoutMs: versionTimeoutMs,
    });
    return {
      instance,
      pool,
      versionPool,
      dataVersion: new SharedRuns(() => loadReplicaVersions(versionPool)),
    };
  }

  /** Requests that use it go on; none begins. */
  async #leave(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    if (run) void Promise.all([run.pool.end(), run.versionPool.end()]).catch(() => {});
  }
}
