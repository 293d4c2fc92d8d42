import { withAdmin } from '../../kafka/connection/admin.ts';
import { readNewestPublished } from '../../kafka/reading/newest-published.ts';
import { describeTopic } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { describeMissingTopic } from '../../service/missing-topic.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { lockStreamHead } from '../../store/stream/change-log.ts';
import { beginEpoch } from '../../store/stream/epoch.ts';
import type { CommandIo } from '../command.ts';
import type { OpsConfig } from '../config.ts';
import { inOneTransaction } from '../database.ts';

/**
 * Begins another epoch (INV-4), so that Postgres and Kafka match again after a restored backup has lost changes that
 * clients have seen.
 *
 * @throws OperatorError if the changes topic is missing
 */
export async function newEpoch(config: OpsConfig, io: CommandIo): Promise<void> {
  const { brokers, databaseUrl } = config;
  const { changes: topic } = topicNames(config.topicPrefix);
  const listed = await withAdmin(brokers, (admin) => admin.listTopics());
  if (!listed.includes(topic)) {
    throw new OperatorError(`${describeMissingTopic(topic)}. Nothing was done.`);
  }
  const place = { brokers, topic, clientId: 'ballot-endorsements-ops' };
  // Read before the epoch begins, so that all of its changes come later.
  const { topicId, bounds } = await describeTopic(place);
  const offsets = bounds.map(({ end }) => end);
  // A backup may be older than a published epoch, for example if it is restored for the second time.
  const published = (await readNewestPublished({ brokers, topic }))?.epoch ?? 0;
  const { epoch, after } = await inOneTransaction(databaseUrl, async (client) => {
    await lockStreamHead(client);
    return beginEpoch(client, { topicId, offsets, published });
  });
  io.err(`${topic} is read from its current end.`);
  io.err(
    `The stream's epoch is ${epoch} from change ${after + 1} on. Older cursors get 410, so that clients ` +
      'catch up through /v1/endorsements; gateways and relays follow by themselves within seconds.',
  );
}
