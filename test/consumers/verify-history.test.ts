/* Two deployments on one Kafka: a database never takes the topic of another one for its own. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { verifyHistory } from '../../consumers/verify-history.ts';
import { readNewestPublished } from '../../kafka/reading/newest-published.ts';
import { identifyTopic } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { useTestService } from '../helpers/service/service.ts';

const service = useTestService();
/** The database of another deployment. */
const { url, client } = useTestDatabase();
/** The epoch of the service's stream. */
let epoch: number;
let topicId: string;

const changes = () => ({ brokers: service.brokers, topic: topicNames(service.topicPrefix).changes });

beforeAll(async () => {
  await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
  await service.eventsOnceThereAre(1);
  epoch = (await readNewestPublished(changes()))?.epoch ?? 0;
  ({ topicId } = await identifyTopic({ ...changes(), clientId: 'test' }));
});

async function setOther(otherEpoch: number, knownTopic: string | null, isRequested = false): Promise<void> {
  await client.query('UPDATE stream_head SET epoch = $1', [otherEpoch]);
  await client.query('UPDATE stream_generation SET topic_id = $1, is_requested = $2', [
    knownTopic,
    isRequested,
  ]);
}

test.each([
  ['a newer epoch and another topic', 1, randomUUID()],
  ['an older epoch and another topic', -1, randomUUID()],
  ['a newer epoch and no topic yet', 1, null],
  ['an older epoch and no topic yet', -1, null],
])('INV-3: a database with %s is refused, and sends nothing', async (_, difference, known) => {
  await setOther(epoch + difference, known);
  await expect(verifyHistory(client, changes())).rejects.toThrow(/holds another stream.*TOPIC_PREFIX/);
  const io = createIo({ ...service.env(), DATABASE_URL: url });
  await expect(createRunner('stream')(['repair'], io)).rejects.toThrow('holds another stream');
});

test('a database with a newer epoch is not refused if the topic is its own, or an operator gives it to it', async () => {
  await setOther(epoch + 1, topicId);
  await verifyHistory(client, changes());
  await setOther(epoch + 1, randomUUID(), true);
  await verifyHistory(client, changes());
});

test('INV-3: a database with an older epoch is refused although the topic is its own', async () => {
  await setOther(epoch - 1, topicId);
  await expect(verifyHistory(client, changes())).rejects.toThrow('at the older epoch');
});
