import { type Clock, monotonicClock } from '../../service/clock.ts';

/** The time of reading a replica before its leader is asked again, in milliseconds. */
const TRUSTED_MS = 10_000;

/** Offsets of a leader's log. */
interface Ends {
  end: number;
  stableEnd: number;
}

interface Replica extends Ends {
  node: number;
  until: number;
}

/**
 * The replicas near this process that leaders named, which spare traffic between racks. A replica may lag
 * behind, so its leader is asked regularly: it then names a replica again and gives its own ends.
 */
export class NearbyReplicas {
  readonly #replicas = new Map<number, Replica>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'> = monotonicClock) {
    this.#clock = clock;
  }

  /** Stores a leader's answer: a replica and the ends of the leader's log. */
  note(partition: number, node: number, { end, stableEnd }: Ends): void {
    this.#replicas.set(partition, { node, end, stableEnd, until: this.#clock.now() + TRUSTED_MS });
  }

  /** The broker with the replica of a partition; undefined to read from its leader. */
  nodeOf(partition: number): number | undefined {
    return this.#replicas.get(partition)?.node;
  }

  /** The partitions of this broker whose leaders must be asked again. */
  findStale(node: number, partitions: Iterable<number>): number[] {
    const now = this.#clock.now();
    return [...partitions].filter((partition) => {
      const replica = this.#replicas.get(partition);
      return replica?.node === node && replica.until <= now;
    });
  }

  /** The ends of a partition: the broker's or the leader's, whichever are further. */
  furthestEnds(partition: number, { end, stableEnd }: Ends): Ends {
    const known = this.#replicas.get(partition);
    return { end: Math.max(end, known?.end ?? 0), stableEnd: Math.max(stableEnd, known?.stableEnd ?? 0) };
  }

  /** Returns to the leader of a partition. @returns whether a replica was in use */
  forget(partition: number): boolean {
    return this.#replicas.delete(partition);
  }

  /** Returns to the leaders of all partitions that a broker serves. */
  forgetNode(node: number): void {
    for (const [partition, replica] of this.#replicas) {
      if (replica.node === node) this.#replicas.delete(partition);
    }
  }
}
