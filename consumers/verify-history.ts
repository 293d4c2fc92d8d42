import type { ClientBase } from 'pg';
import { findHistoryConflict } from '../domain/history.ts';
import { type Announced, readNewestAnnounced } from '../kafka/reading/announced.ts';
import type { Brokers } from '../service/brokers.ts';
import { OperatorError } from '../service/operator-error.ts';
import { historyConflict } from '../service/stream-metrics.ts';
import { loadHistory } from '../store/stream/history.ts';

/**
 * Makes sure that the store holds every change that Kafka has announced. To be called at the beginning of every term: a
 * store that is replaced by a backup ends all connections.
 *
 * @returns the newest change that Kafka has announced; null if there is none
 * @throws OperatorError that names the runbook if the store is older or differs, and the Kafka client's error if the
 *   brokers do not answer
 */
export async function verifyHistory(
  client: ClientBase,
  changes: { brokers: Brokers; topic: string },
): Promise<Announced | null> {
  const announced = await readNewestAnnounced(changes);
  const conflict = findHistoryConflict(announced, await loadHistory(client, announced?.sequence ?? 0));
  historyConflict.set(conflict === null ? 0 : 1);
  if (conflict !== null) throw new OperatorError(conflict);
  return announced;
}
