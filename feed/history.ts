import { findHistoryConflict } from '../domain/history.ts';
import type { DatabasePool } from '../store/connection/read-pool.ts';
import { loadRelayedChanges } from '../store/reads/relayed-changes.ts';
import { type FeedGeneration, loadStreamState } from '../store/reads/stream-points.ts';

/** The newest change that a gateway has read from Kafka. */
export interface FollowedHistory {
  epoch: number;
  sequence: number;
  /** The event's id; null if the gateway has read no change yet. */
  id: string | null;
  /** The highest epoch of the changes that the gateway has seen in Kafka. */
  announcedEpoch: number;
}

/**
 * Compares the history that a gateway follows with the database's.
 *
 * @returns the database's epoch and generation, and a sentence about the difference, or null if they agree
 * @throws the database's error if the database is away
 */
export async function findConflict(
  pool: DatabasePool,
  { epoch, sequence, id, announcedEpoch }: FollowedHistory,
): Promise<{ epoch: number; generation: FeedGeneration; conflict: string | null }> {
  const { generation, ...stored } = await loadStreamState(pool);
  if (stored.epoch !== epoch) return { epoch: stored.epoch, generation, conflict: null };
  const [change] = id === null ? [] : await loadRelayedChanges(pool, sequence, sequence);
  const announced = { epoch: announcedEpoch, sequence, id: id ?? '' };
  const conflict = findHistoryConflict(announced, { ...stored, announcedId: change?.id ?? null });
  return { epoch, generation, conflict };
}
