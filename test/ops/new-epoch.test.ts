import { expect, test } from '@jest/globals';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { readNewestPublished } from '../../kafka/reading/newest-published.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { applyTopics } from '../../kafka/topics/topics.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { useTestService } from '../helpers/service/service.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';

const run = createRunner('stream');

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const PATIENCE_MS = 20_000;
const PARTITIONS = 2;

const service = useTestService({ partitions: PARTITIONS });

/** Submits this number of changes. */
const submit = (word: string, count: number) =>
  service.submit(
    Array.from({ length: count }, (_, index) =>
      endorse('bakers-local-1', 'mayor', 'ann', { statement: `${word} ${index}` }),
    ),
  );

const createCommandIo = () => createIo(service.env());

async function emptyKafka(): Promise<void> {
  const { brokers, topicPrefix } = service;
  const topics = Object.values(topicNames(topicPrefix));
  await withAdmin(brokers, async (admin) => {
    await admin.deleteTopics({ topics });
    await until('the topics are gone', async () =>
      (await admin.listTopics()).every((name) => !topics.includes(name)),
    );
  });
  await expect(run(['new-epoch'], createCommandIo())).rejects.toThrow(/There is no topic .*Nothing was done/);
  await applyTopics({ brokers, topicPrefix, retentionMs: WEEK_MS, changesPartitions: PARTITIONS });
}

/** Begins a new epoch, which replaces the gateway. @returns the lines of the command */
async function beginEpoch(): Promise<string[]> {
  const gateway = service.gateways[0];
  const io = createCommandIo();
  expect(await run(['new-epoch'], io)).toBe(0);
  await until('another gateway', () => service.gateways[0] !== gateway, PATIENCE_MS);
  await service.untilReady();
  return io.told;
}

async function statements(query: string): Promise<string[]> {
  const { data } = await service.events(query);
  return data.map(({ endorsement }) => endorsement.statement);
}

test('with Kafka emptied and old days of the change log gone, a new epoch makes Postgres and Kafka match again', async () => {
  await submit('Before', 3);
  await service.eventsOnceThereAre(3);
  await submit('Before', 3);
  const before = await service.eventsOnceThereAre(6);
  await service.stopConsumers();
  await service.query('DELETE FROM change_log WHERE sequence <= 4');
  await emptyKafka();

  await beginEpoch();
  const { body: list } = await service.get('/v1/endorsements');
  expect(list.data).toMatchObject([{ statement: 'Before 2' }]);
  expect(parseCursor(list.stream_cursor)).toMatchObject({ sequence: 6, offsets: [0, 0] });
  const client = await EventStreamClient.open(service.url(`/v1/stream?cursor=${list.stream_cursor}`), {
    Authorization: `Bearer ${service.key}`,
  });

  // More than before, so that the old offsets would be within the new topic.
  await submit('After', 9);
  await service.startConsumers();
  await until('the changes', async () => (await service.latestSequence()) === 15);
  const after = Array.from({ length: 9 }, (_, index) => `After ${index}`);
  await until('the stream has them', () => client.of('endorsement').length === 9);
  expect(client.of('endorsement').map(({ data }) => data.endorsement.statement)).toEqual(after);
  await service.restartGateway(0);
  await service.untilReady();
  expect(await statements('from=earliest')).toEqual(after);
  expect(await statements(`cursor=${list.stream_cursor}`)).toEqual(after);
  const { status, body } = await service.get(`/v1/events?cursor=${before.at(-1)?.id}`);
  expect([status, body.error?.code]).toEqual([410, 'cursor_expired']);
  expect(await run(['check'], createCommandIo())).toBe(0);
});

test('with Kafka kept, clients of the new epoch read from the end of the topic, and submissions continue', async () => {
  expect(await beginEpoch()).toEqual([
    expect.stringMatching(/endorsement-changes is read from its current end\.$/),
    expect.stringMatching(/from change 16 on/),
  ]);
  const { body: list } = await service.get('/v1/endorsements');
  const { offsets } = parseCursor(list.stream_cursor);
  expect(offsets.reduce((sum, offset) => sum + offset)).toBe(9);
  await submit('Later', 1);
  await until('the change', async () => (await service.latestSequence()) === 16);
  expect(await statements(`cursor=${list.stream_cursor}`)).toEqual(['Later 0']);
});

test('with Kafka emptied and more submissions in it than before, all of them are applied', async () => {
  await service.stopConsumers();
  await emptyKafka();
  await submit('Anew', 12);
  await beginEpoch();
  await service.startConsumers();
  await until('the changes', async () => (await service.latestSequence()) === 28, PATIENCE_MS);
  expect(await statements('from=earliest')).toEqual(
    Array.from({ length: 12 }, (_, index) => `Anew ${index}`),
  );
});

test('a new epoch exceeds every published one, even if the backup is older', async () => {
  const { brokers, topicPrefix } = service;
  const topic = topicNames(topicPrefix).changes;
  const untilAnnounced = (sequence: number) =>
    until(
      'the change',
      async () => (await readNewestPublished({ brokers, topic }))?.sequence === sequence,
      PATIENCE_MS,
    );
  await service.stopConsumers();
  // More than the random number by which an epoch grows.
  await service.query('UPDATE stream_head SET epoch = epoch + 3000000000');
  await service.startConsumers();
  await submit('Announced', 1);
  await untilAnnounced(29);
  await service.stopConsumers();
  await service.query('UPDATE stream_head SET epoch = 1');
  expect(await run(['new-epoch'], createCommandIo())).toBe(0);
  await service.startConsumers();
  await submit('Afterwards', 1);
  await untilAnnounced(30);
  const follows = async () => (await statements('from=earliest').catch(() => [''])).includes('Afterwards 0');
  await until('the gateway follows', follows, PATIENCE_MS);
});
