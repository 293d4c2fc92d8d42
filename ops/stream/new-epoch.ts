import type { ClientBase } from 'pg';
import { type Admin, withAdmin } from '../../kafka/admin.ts';
import { loadTopicId } from '../../kafka/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { lockStreamHead } from '../../store/stream/change-log.ts';
import { loadConsumerOffsets, resetConsumerOffset } from '../../store/stream/consumer-offsets.ts';
import { beginEpoch } from '../../store/stream/relay-batches.ts';
import type { CommandIo } from '../command.ts';
import type { OpsConfig } from '../config.ts';
import { inOneTransaction } from '../database.ts';

/** The end of a topic, by partition. */
async function fetchEnds(admin: Admin, topic: string): Promise<number[]> {
  if (!(await admin.listTopics()).includes(topic)) {
    throw new OperatorError(
      `There is no topic ${topic}: "npm run ops -- topics apply" creates it. Nothing was done.`,
    );
  }
  const ends: number[] = [];
  for (const { partition, high } of await admin.fetchTopicOffsets(topic)) ends[partition] = Number(high);
  return ends;
}

/** A topic with positions in Postgres. */
interface ReadTopic {
  name: string;
  ends: number[];
  /** Whether to read it from its beginning in any case. */
  fromBeginning: boolean;
}

/**
 * Decides where consumers go on reading a topic. If a position lies beyond the end of its partition, the topic was made
 * anew and the positions mean nothing, so it is read from its beginning. A new topic that has outgrown the old one
 * cannot be recognised; `fromBeginning` tells it.
 *
 * @returns a sentence for the operator about the place
 */
async function settlePositions(
  client: ClientBase,
  { name, ends, fromBeginning }: ReadTopic,
): Promise<string> {
  const positions = await loadConsumerOffsets(client, name);
  const madeAnew = [...positions].some(([partition, position]) => position > (ends[partition] ?? 0));
  if (!madeAnew && !fromBeginning)
    return `${name} is read on from its positions in Postgres, since none lies beyond its end.`;
  for (const partition of positions.keys()) await resetConsumerOffset(client, name, partition, 0);
  return madeAnew
    ? `${name} was made anew: it is read from its beginning.`
    : `${name} is read from its beginning, as --submissions-from-beginning asks.`;
}

/**
 * Begins another stream (INV-4), so that Postgres and Kafka fit together again. This is needed when Postgres was restored
 * from a backup and has lost changes that clients have seen, or when Kafka has lost its topics.
 *
 * @param options.submissionsFromBeginning tells that the topic of submissions was made anew, even if it has more
 *   submissions now than the old one had
 * @throws OperatorError if a topic is missing
 */
export async function newEpoch(
  config: OpsConfig,
  io: CommandIo,
  { submissionsFromBeginning }: { submissionsFromBeginning: boolean },
): Promise<void> {
  const { brokers, databaseUrl } = config;
  const topics = topicNames(config.topicPrefix);
  const ends = await withAdmin(brokers, async (admin) => ({
    // Read before the epoch begins, so that none of its changes lies before them.
    changes: await fetchEnds(admin, topics.changes),
    submissions: await fetchEnds(admin, topics.submissions),
    rejected: await fetchEnds(admin, topics.rejected),
  }));
  const topicId = await loadTopicId({ brokers, topic: topics.changes, clientId: 'ballot-endorsements-ops' });
  const read: ReadTopic[] = [
    { name: topics.submissions, ends: ends.submissions, fromBeginning: submissionsFromBeginning },
    { name: topics.rejected, ends: ends.rejected, fromBeginning: false },
  ];
  const { sentences, epoch, after } = await inOneTransaction(databaseUrl, async (client) => {
    await lockStreamHead(client);
    const sentences: string[] = [];
    for (const topic of read) sentences.push(await settlePositions(client, topic));
    return { sentences, ...(await beginEpoch(client, { topicId, offsets: ends.changes })) };
  });
  for (const sentence of sentences) io.err(sentence);
  io.err(`${topics.changes} is read from its present end.`);
  io.err(
    `The stream's epoch is ${epoch} from change ${after + 1} on. Older cursors get 410, so that clients ` +
      'catch up through /v1/endorsements; gateways and relays follow by themselves within seconds.',
  );
}
