import type { ClientBase } from 'pg';
import { topicNames } from '../../schemas/topics.ts';
import { lockStreamHead } from '../../store/change-log.ts';
import { loadConsumerPositions, resetConsumerPosition } from '../../store/consumer-positions.ts';
import { beginEpoch } from '../../store/relay-batches.ts';
import type { CommandIo } from '../command.ts';
import type { OpsConfig } from '../config.ts';
import { inOneTransaction } from '../database.ts';
import { type Admin, withAdmin } from '../kafka/client.ts';
import { OpsError } from '../ops-error.ts';

/** Where a topic ends, by partition. */
async function fetchEnds(admin: Admin, topic: string): Promise<number[]> {
  if (!(await admin.listTopics()).includes(topic)) {
    throw new OpsError(
      `There is no topic ${topic}: "npm run ops -- topics apply" creates it. Nothing was done.`,
    );
  }
  const ends: number[] = [];
  for (const { partition, high } of await admin.fetchTopicOffsets(topic)) ends[partition] = Number(high);
  return ends;
}

/**
 * Where a position lies beyond the end of its partition the topic was made anew, and the positions in it mean nothing:
 * it is read from its beginning.
 *
 * @returns whether that was so.
 */
async function forgetPositionsBeyond(client: ClientBase, topic: string, ends: number[]): Promise<boolean> {
  const positions = await loadConsumerPositions(client, topic);
  const madeAnew = [...positions].some(([partition, position]) => position > (ends[partition] ?? 0));
  if (madeAnew) {
    for (const partition of positions.keys()) await resetConsumerPosition(client, topic, partition, 0);
  }
  return madeAnew;
}

/**
 * For a store that was restored from a backup, and so has lost changes that clients have seen, and for a Kafka that has
 * lost its topics: from here on the stream is another one (INV-4), and store and Kafka fit together again.
 *
 * @throws OpsError where a topic is missing.
 */
export async function newEpoch(config: OpsConfig, io: CommandIo): Promise<number> {
  const { brokers, databaseUrl } = config;
  const topics = topicNames(config.topicPrefix);
  const ends = await withAdmin(brokers, async (admin) => ({
    // Before the epoch begins, so that nothing of it is before them.
    changes: await fetchEnds(admin, topics.changes),
    submissions: await fetchEnds(admin, topics.submissions),
    rejected: await fetchEnds(admin, topics.rejected),
  }));
  const { epoch, after } = await inOneTransaction(databaseUrl, async (client) => {
    await lockStreamHead(client);
    for (const name of ['submissions', 'rejected'] as const) {
      const forgotten = await forgetPositionsBeyond(client, topics[name], ends[name]);
      if (forgotten) io.err(`${topics[name]} was made anew: it is read from its beginning.`);
    }
    return beginEpoch(client, ends.changes);
  });
  io.err(
    `The stream's epoch is ${epoch} from the change ${after + 1} on. Every cursor made before is answered 410, so that ` +
      'clients catch up through /v1/endorsements; gateways and relays follow by themselves within seconds.',
  );
  return 0;
}
