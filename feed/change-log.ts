import type { Logger } from '../service/log.ts';
import type { DatabasePool } from '../store/connection/read-pool.ts';
import { findFirstRelayed, loadRelayedChanges } from '../store/reads/relayed-changes.ts';
import { loadOffsetsOfNext } from '../store/reads/stream-points.ts';
import { filledChanges } from './metrics.ts';
import { createEvents } from './read-events.ts';
import type { RenderedEvent } from './rendered-event.ts';

/** The most changes that are loaded at a time. */
const MAX_LOADED = 1000;

/** The changes in the database that were sent to Kafka. Its methods throw the database's error. */
export interface ChangeLog {
  /**
   * Loads changes that Kafka lacks, both ends included. The result begins at `from` and is bounded. It stops
   * early if the change log ends or has a hole itself.
   */
  load(from: number, to: number): Promise<RenderedEvent[]>;
  /** The first sequence from `from` to `to`, both included, at which `load` can begin; null if none exists. */
  findFirst(from: number, to: number): Promise<number | null>;
  /** Counts and logs the loaded changes that filled holes, by their sequences. */
  reportFilled(filled: readonly number[]): void;
  /** Returns Kafka's offsets of the change after a sequence, by partition; null if they are unknown. */
  locate(sequence: number): Promise<number[] | null>;
}

/**
 * Fills holes of the changes topic from the change log (INV-7). Its changes are committed, and its events
 * have the ids and bytes that the relay sent (INV-3), so they may be delivered at any time.
 */
export function createChangeLog(pool: DatabasePool, log: Logger): ChangeLog {
  return {
    async load(from, to) {
      const changes = await loadRelayedChanges(pool, from, Math.min(to, from + MAX_LOADED - 1));
      const values = changes.map(({ value }) => value);
      return createEvents(values, changes[0]?.epoch ?? 0);
    },
    findFirst: (from, to) => findFirstRelayed(pool, from, to),
    reportFilled(filled) {
      const [first] = filled;
      if (first === undefined) return;
      filledChanges.inc(filled.length);
      log.error(
        { count: filled.length, from: first, to: filled.at(-1) },
        'the changes topic lacks changes, which were loaded from the change log; run "ops stream repair"',
      );
    },
    locate: (sequence) => loadOffsetsOfNext(pool, sequence),
  };
}
