/** How long a replica is read before its leader is asked again, in milliseconds. */
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
 * The replicas near this process that leaders named, which spare traffic between racks. A replica may lag behind, so its
 * leader is asked again and again: it then names a replica anew, and tells how far its own log reaches.
 */
export class NearbyReplicas {
  readonly #replicas = new Map<number, Replica>();

  /** Notes the answer of a leader, which names a replica and the ends of its own log. */
  note(partition: number, node: number, { end, stableEnd }: Ends): void {
    this.#replicas.set(partition, { node, end, stableEnd, until: performance.now() + TRUSTED_MS });
  }

  /** The broker with the replica of a partition; undefined if it is to be read from its leader. */
  nodeOf(partition: number): number | undefined {
    return this.#replicas.get(partition)?.node;
  }

  /** Those of the partitions that are read from this broker, and whose leaders must be asked again. */
  findStale(node: number, partitions: Iterable<number>): number[] {
    const now = performance.now();
    return [...partitions].filter((partition) => {
      const replica = this.#replicas.get(partition);
      return replica?.node === node && replica.until <= now;
    });
  }

  /** The ends of a partition: those of the broker's answer, or those that the leader told if they are further. */
  furthestEnds(partition: number, { end, stableEnd }: Ends): Ends {
    const known = this.#replicas.get(partition);
    return { end: Math.max(end, known?.end ?? 0), stableEnd: Math.max(stableEnd, known?.stableEnd ?? 0) };
  }

  /** Goes back to the leader of a partition. @returns whether a replica was read */
  forget(partition: number): boolean {
    return this.#replicas.delete(partition);
  }

  /** Goes back to the leaders of all partitions that are read from a broker. */
  forgetNode(node: number): void {
    for (const [partition, replica] of this.#replicas) {
      if (replica.node === node) this.#replicas.delete(partition);
    }
  }
}
