import type { Logger } from '../../service/log.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { loadRelayedChanges } from '../../store/reads/relayed-changes.ts';
import { loadOffsetsOfNext } from '../../store/reads/stream-points.ts';
import { createEntries, type LogEntry } from './entry.ts';
import { filledChanges } from './metrics.ts';

/** How many changes are loaded at a time. */
const MAX_LOADED = 1000;

/** What the store knows of changes that Kafka once had. Its methods throw the store's error when it does not answer. */
export interface ChangeLog {
  /**
   * Loads changes that Kafka has lost, from one sequence to another, as many as go at a time. Fewer, from the first on,
   * where the change log ends or has a hole itself.
   */
  load(from: number, to: number): Promise<LogEntry[]>;
  /** By partition: where Kafka has what comes after a sequence, if it has it. Null where it was never sent, or long ago. */
  locate(sequence: number): Promise<number[] | null>;
}

/**
 * The change log as what fills a hole of the changes topic (INV-7). Its entries have the ids and bytes that the relay
 * sent (INV-3), and are committed, so that it is right to give them at any time.
 */
export function createChangeLog(pool: DatabasePool, log: Logger): ChangeLog {
  return {
    async load(from, to) {
      const changes = await loadRelayedChanges(pool, from, Math.min(to, from + MAX_LOADED - 1));
      if (changes.length > 0) {
        filledChanges.inc(changes.length);
        log.error(
          { from, to: from + changes.length - 1 },
          'the changes topic lacks changes; they were loaded from the change log. Run "ops stream repair"',
        );
      }
      return createEntries(changes);
    },
    locate: (sequence) => loadOffsetsOfNext(pool, sequence),
  };
}
