import type { ClientBase } from 'pg';
import { type Admin, withAdmin } from '../../kafka/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { lockStreamHead } from '../../store/stream/change-log.ts';
import { loadConsumerOffsets, resetConsumerOffset } from '../../store/stream/consumer-offsets.ts';
import { beginEpoch } from '../../store/stream/relay-batches.ts';
import type { CommandIo } from '../command.ts';
import type { OpsConfig } from '../config.ts';
import { inOneTransaction } from '../database.ts';

/** Where a topic ends, by partition. */
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

/** How a topic that positions in Postgres speak of was found. */
interface ReadTopic {
  name: string;
  ends: number[];
  /** Whether to read it from its beginning, whatever its end. */
  fromBeginning: boolean;
}

/**
 * Where a position lies beyond the end of its partition the topic was made anew, and the positions in it mean nothing:
 * it is read from its beginning. That a topic was made anew and has more than the old one by now cannot be seen, so it
 * can be asked for.
 *
 * @returns a sentence that says from where the topic is read.
 */
async function settlePositions(
  client: ClientBase,
  { name, ends, fromBeginning }: ReadTopic,
): Promise<string> {
  const positions = await loadConsumerOffsets(client, name);
  const madeAnew = [...positions].some(([partition, position]) => position > (ends[partition] ?? 0));
  if (!madeAnew && !fromBeginning)
    return `${name} is read on from where Postgres says, since no position there lies beyond its end.`;
  for (const partition of positions.keys()) await resetConsumerOffset(client, name, partition, 0);
  return madeAnew
    ? `${name} was made anew: it is read from its beginning.`
    : `${name} is read from its beginning, as --submissions-from-beginning asks.`;
}

/**
 * For a store that was restored from a backup, and so has lost changes that clients have seen, and for a Kafka that has
 * lost its topics: from here on the stream is another one (INV-4), and store and Kafka fit together again.
 *
 * @param options.submissionsFromBeginning that the topic of submissions was made anew, also where it has more by now than
 *   the old one had.
 * @throws OperatorError where a topic is missing.
 */
export async function newEpoch(
  config: OpsConfig,
  io: CommandIo,
  { submissionsFromBeginning }: { submissionsFromBeginning: boolean },
): Promise<void> {
  const { brokers, databaseUrl } = config;
  const topics = topicNames(config.topicPrefix);
  const ends = await withAdmin(brokers, async (admin) => ({
    // Before the epoch begins, so that nothing of it is before them.
    changes: await fetchEnds(admin, topics.changes),
    submissions: await fetchEnds(admin, topics.submissions),
    rejected: await fetchEnds(admin, topics.rejected),
  }));
  const read: ReadTopic[] = [
    { name: topics.submissions, ends: ends.submissions, fromBeginning: submissionsFromBeginning },
    { name: topics.rejected, ends: ends.rejected, fromBeginning: false },
  ];
  const { sentences, epoch, after } = await inOneTransaction(databaseUrl, async (client) => {
    await lockStreamHead(client);
    const sentences: string[] = [];
    for (const topic of read) sentences.push(await settlePositions(client, topic));
    return { sentences, ...(await beginEpoch(client, ends.changes)) };
  });
  for (const sentence of sentences) io.err(sentence);
  io.err(`${topics.changes} is read from where it ends now.`);
  io.err(
    `The stream's epoch is ${epoch} from the change ${after + 1} on. Every cursor made before is answered 410, so that ` +
      'clients catch up through /v1/endorsements; gateways and relays follow by themselves within seconds.',
  );
}
