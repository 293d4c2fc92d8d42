import { leaseEnd } from '../../domain/replica-lease.ts';
import type { Clock } from '../../service/clock.ts';

/**
 * The leases with which this gateway may read from replicas (INV-1). At every moment of its lease, a replica
 * shows every change that was announced before that moment.
 */
export class ReplicaLeases {
  readonly #load: () => Promise<readonly string[]>;
  readonly #clock: Pick<Clock, 'now'>;
  /** The ends of leases, by instance of a replica. */
  #ends: ReadonlyMap<string, number> = new Map();

  /**
   * @param load asks the primary for the instances in use
   * @param clock monotonic
   */
  constructor(load: () => Promise<readonly string[]>, clock: Pick<Clock, 'now'>) {
    this.#load = load;
    this.#clock = clock;
  }

  /** Asks once. Rejects with the primary's error; the leases then last until their ends. */
  async renew(): Promise<void> {
    // The answer can be as old as the question.
    const askedAt = this.#clock.now();
    const instances = await this.#load();
    this.#ends = new Map(instances.map((instance) => [instance, leaseEnd(askedAt)]));
  }

  holds(instance: string): boolean {
    return this.#clock.now() < (this.#ends.get(instance) ?? Number.NEGATIVE_INFINITY);
  }
}
