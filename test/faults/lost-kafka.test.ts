/*
 * Kafka loses its topics while the service runs: they are deleted under load and made anew. The relay writes
 * the window again, with the same ids and bytes, and every cursor stays valid.
 */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { measureLag } from '../../administration/lag.ts';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { GroupOffsets } from '../../kafka/reading/group-offsets.ts';
import { identifyTopic, readTopic } from '../../kafka/reading/read-topic.ts';
import { applyGroup, topicNames } from '../../kafka/topic-names.ts';
import { applyTopics } from '../../kafka/topics/topics.ts';
import { type Change, changeCodec } from '../../schemas/change.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner, runToExit } from '../helpers/commands/command-io.ts';
import { TestService } from '../helpers/service/service.ts';
import { loadChangeLog } from '../helpers/stream/change-log.ts';
import { StreamChecker, sequenceOf } from '../helpers/stream/stream-checker.ts';
import { StreamReader } from '../helpers/stream/stream-reader.ts';
import { until } from '../helpers/until.ts';

const WEEK_MS = 604_800_000;
const CHANGES = 3000;
const ENDORSERS = ['bakers-local-1', 'coast-gazette', 'nation-herald'];
const PATIENCE_MS = 60_000;

let service: TestService;
let sent = 0;

beforeEach(async () => {
  sent = 0;
  // Little memory, so that old changes come from Kafka.
  service = await TestService.start({
    gateways: 2,
    partitions: 6,
    gatewayConfig: { feedMemoryBytes: 20_000, feedReplayBytes: 20_000, streamHeartbeatMs: 500 },
  });
});
afterEach(() => service.stop());

async function submit(count: number): Promise<void> {
  const submissions = Array.from({ length: count }, () => {
    sent += 1;
    return endorse(ENDORSERS[sent % 3] ?? '', 'mayor', 'ann', { statement: `Statement ${sent}.` });
  });
  await service.submit(submissions);
}

const topics = () => topicNames(service.topicPrefix);

async function isThere(topic: string): Promise<boolean> {
  return withAdmin(service.brokers, async (admin) => (await admin.listTopics()).includes(topic));
}

async function deleteTopic(topic: string): Promise<void> {
  await withAdmin(service.brokers, (admin) => admin.deleteTopics({ topics: [topic] }));
  await until(`${topic} is gone`, async () => !(await isThere(topic)));
}

async function makeTopics(changesPartitions: number): Promise<void> {
  const { brokers, topicPrefix } = service;
  await applyTopics({ brokers, topicPrefix, retentionMs: WEEK_MS, changesPartitions });
}

async function loadGeneration(): Promise<{ generation: number; isComplete: boolean }> {
  const [row] = await service.query('SELECT generation, is_complete FROM stream_generation');
  return { generation: Number(row?.generation), isComplete: row?.is_complete === true };
}

const untilRebuilt = (generation: number) =>
  until(
    `generation ${generation} is complete`,
    async () => {
      const now = await loadGeneration();
      return now.generation === generation && now.isComplete;
    },
    PATIENCE_MS,
  );

/** Every record of the changes topic, by partition, in order. */
async function readChanges(): Promise<Change[]> {
  const changes: Change[] = [];
  const place = { brokers: service.brokers, topic: topics().changes, clientId: 'test' };
  for await (const { records } of readTopic(place)) {
    for (const { value } of records) changes.push(changeCodec.decode(value));
  }
  return changes;
}

async function runStream(command: string): Promise<{ status: number; out: string[] }> {
  const io = createIo(service.env());
  return { status: await runToExit(createRunner('stream'), [command], io), out: io.printed };
}

describe('INV-4: the changes topic', () => {
  test('is deleted and made anew under load: every cursor stays valid, and no reader misses anything', async () => {
    await submit(CHANGES);
    const before = await service.eventsOnceThereAre(CHANGES, PATIENCE_MS);
    const readers = [0, 1].flatMap((gateway) =>
      ['latest', 'earliest', before[1234].id].map(
        (from) =>
          new StreamReader({
            name: `from ${from} on ${gateway}`,
            address: () => service.url('', gateway),
            key: service.key,
            from,
          }),
      ),
    );
    for (const reader of readers) reader.start();
    await until('all are connected', () => readers.every(({ connected }) => connected));
    let isLoading = true;
    const load = (async () => {
      while (isLoading) await submit(5);
    })();

    const ports = service.gateways.map(({ port }) => port);
    await deleteTopic(topics().changes);
    // Cursors work meanwhile: changes that Kafka lacks come from the change log.
    const { body: meanwhile } = await service.get(`/v1/events?limit=1000&cursor=${before[100].id}`);
    await makeTopics(9);
    await untilRebuilt(2);
    isLoading = false;
    await load;

    const { body } = await service.get('/v1/endorsements?limit=1');
    const end = sequenceOf(body.stream_cursor);
    expect(end).toBeGreaterThan(CHANGES);
    for (const reader of readers) {
      await until(`${reader.record.name} has everything`, () => reader.position >= end, PATIENCE_MS);
      await reader.stop();
    }
    const checker = new StreamChecker(await loadChangeLog(service.databaseUrl));
    for (const { record } of readers) expect(checker.judge({ ...record, upTo: end }).faults).toEqual([]);
    expect(service.gateways.map(({ port }) => port)).toEqual(ports);

    const all = (await service.events()).data;
    expect(all.slice(0, CHANGES)).toEqual(before);
    expect(meanwhile.data ?? []).toEqual(all.slice(101, 101 + (meanwhile.data ?? []).length));
    for (const [index, { id }] of before.entries()) {
      if (index % 211 !== 0) continue;
      const gateway = (index / 211) % 2;
      const { body: page } = await service.get(`/v1/events?limit=700&cursor=${id}`, { gateway });
      expect(page.data).toEqual(all.slice(index + 1, index + 701));
    }
  });

  test('is written again in order, each change once, so that the last record of a key is its newest', async () => {
    await submit(300);
    const events = await service.eventsOnceThereAre(300);
    await deleteTopic(topics().changes);
    await makeTopics(6);
    await untilRebuilt(2);
    await submit(3);
    // Just after the topic was made anew, a gateway may ask its clients to retry.
    const readFromBeginning = () => service.get('/v1/events?from=earliest');
    await until('the new topic can be read', async () => (await readFromBeginning()).status !== 503);
    await service.eventsOnceThereAre(303, PATIENCE_MS);
    const changes = await readChanges();
    const ids = changes.map(({ id }) => id).sort();
    expect(ids).toHaveLength(303);
    expect(ids.slice(0, 300)).toEqual(events.map(({ id }) => id));
    for (const endorser of ENDORSERS) {
      const sequences = changes.filter((one) => one.endorser.slug === endorser).map((one) => one.sequence);
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    }
    expect((await runStream('check')).status).toBe(0);
  });

  test('is written again when an operator asks for it', async () => {
    await submit(30);
    const events = await service.eventsOnceThereAre(30);
    await withAdmin(service.brokers, async (admin) => {
      const ends = await admin.fetchTopicOffsets(topics().changes);
      const filled = ends.filter(({ high }) => high !== '0');
      const partitions = filled.map(({ partition, high }) => ({ partition, offset: high }));
      await admin.deleteTopicRecords({ topic: topics().changes, partitions });
    });
    expect((await runStream('check')).status).toBe(1);
    const { status, out } = await runStream('rebuild');
    expect([status, out]).toEqual([0, ['30 changes were written again, as generation 2 of the stream.']]);
    expect((await runStream('check')).status).toBe(0);
    expect((await readChanges()).map(({ id }) => id).sort()).toEqual(events.map(({ id }) => id));
    await submit(1);
    expect((await service.eventsOnceThereAre(31)).slice(0, 30)).toEqual(events);
  });
});

describe('INV-8: the submissions topic', () => {
  test('is made anew and outgrows the old one while apply stands still: every submission is applied once', async () => {
    await submit(10);
    await service.eventsOnceThereAre(10);
    await service.stopConsumers();
    await deleteTopic(topics().submissions);
    await makeTopics(6);
    await submit(40);
    // A consumer of the old topic commits its offsets late, under the new topic's name.
    const { brokers, topicPrefix } = service;
    const topic = topics().submissions;
    const group = new GroupOffsets({ brokers, groupId: applyGroup(topicPrefix), topic });
    const { topicId } = await identifyTopic({ brokers, topic, clientId: 'test' });
    await group.commit(new Map([0, 1, 2, 3, 4, 5].map((partition) => [partition, 5])), topicId);
    await group.close();
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    const { submissions } = await measureLag(client, service);
    await client.end();
    expect(submissions.reduce((sum, { lag }) => sum + lag, 0)).toBe(40);
    await service.startConsumers();
    expect(await service.eventsOnceThereAre(50, PATIENCE_MS)).toHaveLength(50);
  });

  test('is made anew while submissions are applied: later ones are applied', async () => {
    await submit(10);
    await service.eventsOnceThereAre(10);
    await deleteTopic(topics().submissions);
    await makeTopics(6);
    await submit(15);
    expect(await service.eventsOnceThereAre(25, PATIENCE_MS)).toHaveLength(25);
  });
});
