import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Relay } from '../../consumers/relay/relay.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { type ChangesProducer, createChangesProducer } from '../../kafka/writing/changes-producer.ts';
import { type Change, changeCodec } from '../../schemas/change.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import type { Brokers } from '../../service/brokers.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createTestTopics } from '../helpers/kafka/topics.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { rewriteAsEarlier } from '../helpers/postgres/logged-changes.ts';
import { until } from '../helpers/until.ts';

const { url, client: leader } = useTestDatabase();
const pool = usePool(url);
let producer: ChangesProducer;
let topic: string;
let brokers: Brokers;
let made: number;

beforeAll(async () => {
  await loadCatalogue(url, SMALL_BALLOT);
});
beforeEach(async () => {
  await pool.query('TRUNCATE endorsements, change_log, relay_batches, consumer_offsets');
  await pool.query(
    `UPDATE stream_head SET last_sequence = 0, epoch_after = 0, last_occurred_at = '-infinity'`,
  );
  const topics = await createTestTopics({ partitions: 3 });
  brokers = topics.brokers;
  topic = topicNames(topics.prefix).changes;
  producer = createChangesProducer({ brokers, topic });
  await producer.connect();
  made = 0;
});
afterEach(() => producer.disconnect());

/** Makes this number of changes, by three endorsers in turn. */
async function makeChanges(count: number): Promise<void> {
  const submissions = Array.from({ length: count }, () => {
    const slug = ['bakers-local-1', 'coast-gazette', 'nation-herald'][made % 3] ?? '';
    return endorse(slug, 'mayor', 'ann', { statement: `Statement ${made++}.` });
  });
  await applySubmissions(leader, ...submissions);
}

async function relayAll(relay: Relay): Promise<void> {
  while ((await relay.relayNext()) > 0);
}

/** Every record of the topic, including duplicates, by partition and offset. */
async function readTopic(): Promise<{ partition: number; offset: number; value: Buffer; change: Change }[]> {
  const log = new TopicReader({ brokers, topic, clientId: 'test-reader' });
  try {
    const wanted = new Map([0, 1, 2].map((partition) => [partition, 0]));
    const [node = 0] = await log.sources();
    const reads = await log.fetch(node, wanted, { maxWaitMs: 0, partitionMaxBytes: 10_000_000 });
    expect(reads.every((read) => read.atEnd)).toBe(true);
    return reads.flatMap(({ partition, records }) =>
      records.map(({ offset, value }) => {
        const bytes = value ?? Buffer.alloc(0);
        return { partition, offset, value: bytes, change: changeCodec.decode(bytes) };
      }),
    );
  } finally {
    await log.close();
  }
}

describe('the relay', () => {
  test('copies each change of the log to Kafka once, keyed by endorser', async () => {
    await makeChanges(30);
    await relayAll(await Relay.start(leader, producer));
    const records = await readTopic();
    const sequences = records.map(({ change }) => change.sequence).sort((a, b) => a - b);
    expect(sequences).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    const homes = new Map(records.map(({ change, partition }) => [change.endorser.slug, partition]));
    for (const { change, partition } of records) expect(homes.get(change.endorser.slug)).toBe(partition);
  });

  test('INV-4: the offsets in an id are lower bounds for its batch and everything after it', async () => {
    const relay = await Relay.start(leader, producer);
    for (let round = 0; round < 5; round += 1) {
      await makeChanges(7);
      await relayAll(relay);
    }
    const records = await readTopic();
    for (const { change } of records) {
      const { offsets, sequence } = parseCursor(change.id);
      expect(sequence).toBe(change.sequence);
      const later = records.filter((record) => record.change.sequence >= sequence);
      for (const record of later)
        expect(record.offset).toBeGreaterThanOrEqual(offsets[record.partition] ?? 0);
    }
  });

  test('INV-5: the id of each change has its own time, also in a batch of several transactions', async () => {
    await makeChanges(2);
    await makeChanges(2);
    await pool.query(`UPDATE change_log SET occurred_at = occurred_at - interval '1 ms' WHERE sequence <= 2`);
    const relay = await Relay.start(leader, producer);
    expect(await relay.relayNext()).toBe(4);
    const changes = (await readTopic()).map(({ change }) => change);
    expect(new Set(changes.map(({ occurred_at }) => occurred_at)).size).toBe(2);
    for (const { id, occurred_at } of changes) expect(parseCursor(id).time).toBe(occurred_at);
  });

  test('INV-3: a relay that takes over after a crash sends the same ids and bytes', async () => {
    await makeChanges(10);
    const dying: ChangesProducer = {
      ...producer,
      async send(records) {
        await producer.send(records.slice(0, 6));
        throw new Error('killed');
      },
    };
    await expect(relayAll(await Relay.start(leader, dying))).rejects.toThrow('killed');
    const before = await readTopic();
    expect(before).toHaveLength(6);
    await makeChanges(5);
    await relayAll(await Relay.start(leader, producer));

    const records = await readTopic();
    const bytes = new Map<number, string>();
    for (const { change, value } of records) {
      const seen = bytes.get(change.sequence);
      if (seen !== undefined) expect(value.toString('base64')).toBe(seen);
      bytes.set(change.sequence, value.toString('base64'));
    }
    expect([...bytes.keys()].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 15 }, (_, index) => index + 1),
    );
    // The fault happened: the topic has the first six twice.
    expect(records).toHaveLength(21);
  });

  test('INV-3: a relay that takes over after several batches continues with the last one', async () => {
    const relay = await Relay.start(leader, producer);
    for (let batch = 0; batch < 3; batch += 1) {
      await makeChanges(2);
      await relay.relayNext();
    }
    const sent: number[][] = [];
    const counting: ChangesProducer = {
      ...producer,
      send: async (records) => void sent.push(records.map(({ value }) => changeCodec.decode(value).sequence)),
    };
    const successor = await Relay.start(leader, counting);
    await makeChanges(1);
    await relayAll(successor);
    expect(sent).toEqual([[5, 6], [7]]);
  });

  test('INV-3: changes that an earlier version logged without a packed body have the same bytes', async () => {
    await makeChanges(6);
    const dying: ChangesProducer = {
      ...producer,
      async send(records) {
        await producer.send(records);
        throw new Error('killed');
      },
    };
    await expect(relayAll(await Relay.start(leader, dying))).rejects.toThrow('killed');
    await rewriteAsEarlier(pool);
    await relayAll(await Relay.start(leader, producer));
    const records = await readTopic();
    expect(records).toHaveLength(12);
    expect(new Set(records.map(({ value }) => value.toString('base64'))).size).toBe(6);
  });

  test('INV-1: publishes no change that was committed while it waited for the replicas', async () => {
    await makeChanges(3);
    const shown: number[] = [];
    const beforeSending = async () => {
      shown.push(made);
      if (made < 5) await makeChanges(1);
    };
    const relay = await Relay.start(leader, producer, { beforeSending });
    const published: number[] = [];
    for (let count = -1; count !== 0; ) {
      count = await relay.relayNext();
      if (count > 0) published.push((published.at(-1) ?? 0) + count);
    }
    // The replicas showed 3 changes, then 4, then 5.
    expect([shown, published]).toEqual([
      [3, 4, 5],
      [3, 4, 5],
    ]);
  });

  test('INV-1: waits for the replicas before it sends the last batch of another relay again', async () => {
    await makeChanges(2);
    const failing: ChangesProducer = { ...producer, send: () => Promise.reject(new Error('killed')) };
    await expect(relayAll(await Relay.start(leader, failing))).rejects.toThrow('killed');
    let published = -1;
    const beforeSending = async () => {
      published = (await readTopic()).length;
    };
    await Relay.start(leader, producer, { beforeSending });
    expect([published, (await readTopic()).length]).toEqual([0, 2]);
  });

  test('records a batch as acknowledged with the next one, or when the relay ends', async () => {
    const acknowledged = async () => {
      const { rows } = await pool.query<{ done: boolean }>(
        'SELECT acknowledged_at IS NOT NULL AS done FROM relay_batches ORDER BY first_sequence',
      );
      return rows.map(({ done }) => done);
    };
    const relay = await Relay.start(leader, producer);
    await makeChanges(2);
    await relay.relayNext();
    expect(await acknowledged()).toEqual([false]);
    await makeChanges(2);
    await relay.relayNext();
    expect(await acknowledged()).toEqual([true, false]);
    await relay.finish();
    expect(await acknowledged()).toEqual([true, true]);
  });

  test('records a batch as acknowledged once, and idle rounds write nothing', async () => {
    const relay = await Relay.start(leader, producer);
    await makeChanges(2);
    await relayAll(relay);
    // The row has the same place as long as nothing writes it.
    const load = async () =>
      (await pool.query('SELECT ctid, acknowledged_at FROM relay_batches ORDER BY first_sequence')).rows;
    const acknowledged = await load();
    expect(acknowledged).toMatchObject([{ acknowledged_at: expect.any(Date) }]);
    await relay.relayNext();
    await relay.finish();
    expect(await load()).toEqual(acknowledged);
    await makeChanges(2);
    await relayAll(relay);
    expect((await load())[0]).toEqual(acknowledged[0]);
  });

  test('INV-3: does not send a batch of an earlier epoch again', async () => {
    await makeChanges(2);
    const sent: number[] = [];
    const counting: ChangesProducer = { ...producer, send: async ({ length }) => void sent.push(length) };
    const failing: ChangesProducer = { ...producer, send: () => Promise.reject(new Error('killed')) };
    await expect(relayAll(await Relay.start(leader, failing))).rejects.toThrow('killed');
    await pool.query('UPDATE stream_head SET epoch_after = 2');
    const relay = await Relay.start(leader, counting);
    expect(sent).toEqual([]);
    await makeChanges(1);
    await relayAll(relay);
    expect(sent).toEqual([1]);
  });

  test('INV-4: ends when another epoch has begun, and sends nothing of it', async () => {
    const relay = await Relay.start(leader, producer);
    await makeChanges(1);
    await relayAll(relay);
    await pool.query('UPDATE stream_head SET epoch = epoch + 1, epoch_after = last_sequence');
    await makeChanges(1);
    await expect(relay.relayNext()).rejects.toHaveProperty('name', 'SupersededError');
    expect((await readTopic()).map(({ change }) => change.sequence)).toEqual([1]);
    expect((await pool.query('SELECT FROM relay_batches')).rowCount).toBe(1);
  });

  test('INV-4: ends if the topic has become shorter, because its offsets belong to another log', async () => {
    let ends = [5, 5, 5];
    const shrinking: ChangesProducer = {
      ...producer,
      send: async () => {},
      fetchEndOffsets: async () => ends,
    };
    const relay = await Relay.start(leader, shrinking);
    ends = [6, 4, 6];
    await until('the relay ends', async () => {
      await makeChanges(1);
      return relay.relayNext().then(
        () => false,
        (error: Error) => error.name === 'SupersededError',
      );
    });
  });

  test('refuses to continue if the change log lacks changes of a batch', async () => {
    await makeChanges(3);
    const failing: ChangesProducer = { ...producer, send: () => Promise.reject(new Error('killed')) };
    await expect(relayAll(await Relay.start(leader, failing))).rejects.toThrow('killed');
    await pool.query('DELETE FROM change_log WHERE sequence = 2');
    await expect(Relay.start(leader, producer)).rejects.toThrow('has 2 of the 3 changes from 1 to 3');
  });
});
