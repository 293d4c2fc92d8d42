import type { ClientBase } from 'pg';
import { findHistoryConflict } from '../domain/history.ts';
import { readNewestPublished } from '../kafka/reading/newest-published.ts';
import { identifyTopic } from '../kafka/reading/read-topic.ts';
import { OperatorError } from '../service/operator-error.ts';
import { historyConflict } from '../service/stream-metrics.ts';
import { loadGeneration } from '../store/stream/generation.ts';
import { loadHistory } from '../store/stream/history.ts';

type ChangesTopic = Parameters<typeof readNewestPublished>[0];

/**
 * Checks that the changes topic holds the store's stream, and the store every change that Kafka has published. Call it
 * on every new connection and at the beginning of every term: replacing the store by a backup ends all connections.
 *
 * @throws OperatorError that says what to do if the topic is another stream's, or the store is older or differs, and the
 * Kafka client's error if the brokers do not answer or the signal aborts
 */
export async function verifyHistory(client: ClientBase, changes: ChangesTopic): Promise<void> {
  const published = await readNewestPublished(changes);
  const stored = await loadHistory(client, published?.sequence ?? 0);
  const isOther =
    published !== null && published.epoch !== stored.epoch && !(await isOwnTopic(client, changes));
  const conflict = isOther ? describeOther(changes.topic) : findHistoryConflict(published, stored);
  historyConflict.set(conflict === null ? 0 : 1);
  if (conflict !== null) throw new OperatorError(conflict);
}

/** Whether the topic is the store's, or an operator gives it to it. Epochs cannot tell: those of two deployments are in no order. */
async function isOwnTopic(client: ClientBase, changes: ChangesTopic): Promise<boolean> {
  const known = await loadGeneration(client);
  if (known.isRequested) return true;
  const { topicId } = await identifyTopic({ ...changes, clientId: 'ballot-endorsements-history' });
  return topicId === known.topicId;
}

const describeOther = (topic: string): string =>
  `The topic ${topic} holds another stream. Check KAFKA_BROKERS, TOPIC_PREFIX and DATABASE_URL. If this topic is to take ` +
  'the stream of this database, run "npm run ops -- stream rebuild".';
