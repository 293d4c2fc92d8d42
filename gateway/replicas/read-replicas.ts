import { Counter, Gauge } from 'prom-client';
import { RENEW_MS } from '../../domain/replica-lease.ts';
import { createAttempt } from '../../service/attempt.ts';
import { monotonicClock } from '../../service/clock.ts';
import { nameServer } from '../../service/database-address.ts';
import { classifyFailure } from '../../service/failure.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { createWorkPool } from '../../store/connection/work-pool.ts';
import { PromotedReplicaError } from '../../store/reads/data-versions.ts';
import type { DataWatch } from '../../store/reads/data-watch.ts';
import { loadUsableReplicas } from '../../store/replicas/registry.ts';
import { Replica, type ReplicaInstance, type ReplicaOptions } from './replica.ts';
import { ReplicaLeases } from './replica-leases.ts';

/** The longest wait for an answer about leases, in milliseconds. */
const TIMEOUT_MS = 1000;

const reads = new Counter({
  name: 'replica_reads_total',
  help: 'Requests that the replica answered.',
  labelNames: ['replica'],
});
const failures = new Counter({
  name: 'replica_reads_repeated_total',
  help: 'Requests that the replica could not answer and the primary answered instead.',
  labelNames: ['replica'],
});
const usable = new Gauge({
  name: 'replica_usable',
  help: '1 while this gateway reads from the replica, 0 while it does not.',
  labelNames: ['replica'],
});

/** A replica shows less than the previous page, which came from another server. The primary shows it. */
export class ReplicaBehindError extends Error {
  override name = 'ReplicaBehindError';

  constructor() {
    super('The replica shows less than the first page.');
  }
}

/** The database that a request reads from. */
export interface ReadSource {
  pool: DatabasePool;
  /** Watches the data of the same server. Another server can show more or less. */
  data: DataWatch;
  isReplica: boolean;
}

export interface ReadReplicasOptions extends Omit<ReplicaOptions, 'name'> {
  /** The primary. */
  databaseUrl: string;
  readDatabaseUrls: readonly string[];
  primary: ReadSource;
  log: Logger;
}

/** Whether the primary can perhaps answer instead. A statement that takes too long is not repeated there. */
function isReplicasFault(error: unknown): boolean {
  if (error instanceof ReplicaBehindError || error instanceof PromotedReplicaError) return true;
  const isTimeout = error instanceof Error && error.constructor.name === 'StatementTimeoutError';
  return !isTimeout && classifyFailure(error) === 'database_away';
}

/** Chooses the database that a request reads: the usable replicas in turn, or else the primary. */
export class ReadReplicas implements Stoppable {
  readonly #primary: ReadSource;
  readonly #replicas: Replica[];
  readonly #leases: ReplicaLeases;
  readonly #parts: Stoppable[] = [];
  #turn = 0;

  constructor({ readDatabaseUrls, primary, log, ...options }: ReadReplicasOptions) {
    this.#primary = primary;
    this.#replicas = readDatabaseUrls.map(
      (databaseUrl) => new Replica({ ...options, name: nameServer(databaseUrl), databaseUrl }),
    );
    if (this.#replicas.length === 0) {
      this.#leases = new ReplicaLeases(async () => [], monotonicClock);
      return;
    }
    const pool = createWorkPool(options.databaseUrl, 1, () => {}, {
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    this.#leases = new ReplicaLeases(() => loadUsableReplicas(pool), monotonicClock);
    const attempt = createAttempt(log, 'replicas');
    const renew = () =>
      attempt('the primary does not answer which replicas are in use', () => this.#leases.renew());
    const check = async () => {
      await Promise.all(this.#replicas.map((replica) => replica.check()));
      for (const replica of this.#replicas)
        usable.set({ replica: replica.name }, this.#isUsable(replica) ? 1 : 0);
    };
    this.#parts = [
      repeat(RENEW_MS, monotonicClock, renew),
      repeat(RENEW_MS, monotonicClock, check),
      { stop: () => pool.end() },
    ];
  }

  /**
   * Reads from a replica, or from the primary if no replica is usable or the replica cannot answer.
   *
   * @param work must have no effect except its result, since it can run twice
   */
  async read<T>(work: (source: ReadSource) => Promise<T>): Promise<T> {
    const chosen = this.#choose();
    if (chosen === null) return work(this.#primary);
    const { replica, instance } = chosen;
    try {
      const result = await work({ ...instance, isReplica: true });
      reads.inc({ replica: replica.name });
      return result;
    } catch (error) {
      // Connections to an instance that was replaced meanwhile fail in many ways.
      const wasLeft = replica.current !== instance;
      if (!wasLeft && !isReplicasFault(error)) throw error;
      failures.inc({ replica: replica.name });
      return work(this.#primary);
    }
  }

  async stop(): Promise<void> {
    for (const part of this.#parts) await part.stop();
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  #isUsable({ current: instance }: Replica): boolean {
    return instance !== null && this.#leases.holds(instance.id);
  }

  #choose(): { replica: Replica; instance: ReplicaInstance } | null {
    const count = this.#replicas.length;
    for (let tried = 0; tried < count; tried += 1) {
      this.#turn = (this.#turn + 1) % count;
      const replica = this.#replicas[this.#turn];
      if (replica?.current && this.#isUsable(replica)) return { replica, instance: replica.current };
    }
    return null;
  }
}
