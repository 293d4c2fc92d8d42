import type { ClientBase } from 'pg';
import { findHistoryConflict } from '../domain/history.ts';
import { type PublishedChange, readNewestPublished } from '../kafka/reading/newest-published.ts';
import { OperatorError } from '../service/operator-error.ts';
import { historyConflict } from '../service/stream-metrics.ts';
import { loadHistory } from '../store/stream/history.ts';

/**
 * Checks that the store holds every change that Kafka has published. Call it at the beginning of every term:
 * replacing the store by a backup ends all connections.
 *
 * @returns the newest published change; null without one
 * @throws OperatorError that names the runbook if the store is older or differs, and the Kafka client's error
 * if the brokers do not answer or the signal aborts
 */
export async function verifyHistory(
  client: ClientBase,
  changes: Parameters<typeof readNewestPublished>[0],
): Promise<PublishedChange | null> {
  const published = await readNewestPublished(changes);
  const conflict = findHistoryConflict(published, await loadHistory(client, published?.sequence ?? 0));
  historyConflict.set(conflict === null ? 0 : 1);
  if (conflict !== null) throw new OperatorError(conflict);
  return published;
}
