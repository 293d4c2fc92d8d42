import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { reconcileGeneration, requireGeneration } from '../../consumers/relay/generation.ts';
import { rebuildWindow } from '../../consumers/relay/rebuild.ts';
import { Relay } from '../../consumers/relay/relay.ts';
import type { OutgoingRecord } from '../../kafka/protocol/write-batch.ts';
import type { ChangesProducer } from '../../kafka/writing/changes-producer.ts';
import { changeCodec } from '../../schemas/change.ts';
import { createLog } from '../../service/log.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { loadFeedStart, loadOffsetsOfNext, loadPlaceAfter } from '../../store/reads/stream-points.ts';
import {
  beginGeneration,
  beginRun,
  completeGeneration,
  loadGeneration,
  loadKnownOffsets,
  loadRebuildProgress,
  loadRebuildStart,
  requestGeneration,
} from '../../store/stream/generation.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';

const PARTITIONS = 3;
const log = createLog('test', 'silent');
const { url, client } = useTestDatabase();
let pool: DatabasePool;
let made = 0;

/** A changes topic in memory, which fails after a number of records. */
class FakeTopic implements ChangesProducer {
  readonly topic = 'changes';
  readonly topicId: string;
  readonly partitions: OutgoingRecord[][] = Array.from({ length: PARTITIONS }, () => []);
  recordsLeft = Number.POSITIVE_INFINITY;

  constructor(topicId: string) {
    this.topicId = topicId;
  }

  connect = async () => {};
  disconnect = async () => {};
  fetchEndOffsets = async () => this.partitions.map(({ length }) => length);

  async send(records: OutgoingRecord[]): Promise<void> {
    for (const record of records) {
      if (this.recordsLeft <= 0) throw new Error('killed');
      this.recordsLeft -= 1;
      this.partitions[record.key.length % PARTITIONS]?.push(record);
    }
  }

  /** The keys and bytes of all records, by partition. */
  get contents() {
    return this.partitions.map((records) => records.map(({ key, value }) => [key, value.toString('base64')]));
  }

  get seen() {
    return { topicId: this.topicId, ends: this.partitions.map(({ length }) => length) };
  }

  /** The changes from these offsets, by partition and in order. */
  changesFrom(offsets: readonly number[]) {
    return this.partitions.flatMap((records, partition) =>
      records.slice(offsets[partition] ?? 0).map(({ value }) => changeCodec.decode(value)),
    );
  }
}

beforeAll(async () => {
  await loadCatalogue(url, SMALL_BALLOT);
  pool = await openReadPool(url);
});
afterAll(() => pool.end());
beforeEach(async () => {
  await client.query('TRUNCATE endorsements, change_log, relay_batches, rebuilt_runs, consumer_offsets');
  await client.query(`UPDATE stream_head SET last_sequence = 0, last_occurred_at = '-infinity'`);
  await client.query('DELETE FROM stream_generation');
  await client.query('INSERT INTO stream_generation DEFAULT VALUES');
  made = 0;
});

async function makeChanges(count: number): Promise<void> {
  const submissions = Array.from({ length: count }, () => {
    made += 1;
    const slug = ['bakers-local-1', 'coast-gazette', 'nation-herald'][made % 3] ?? '';
    return endorse(slug, 'mayor', 'ann', { statement: `Statement ${made}.` });
  });
  await applySubmissions(client, ...submissions);
}

/** Relays everything to a topic, as a relay at the beginning of its term. */
async function relayTo(topic: FakeTopic): Promise<void> {
  const generation = await reconcileGeneration(client, topic.seen, log);
  const signal = new AbortController().signal;
  await rebuildWindow({ client, producer: topic, generation, signal, succeeded: async () => {}, log });
  const relay = await Relay.start(client, topic);
  while ((await relay.relayNext()) > 0);
}

/** Checks that the offsets of every point lead to all changes after it. */
async function expectPlaces(topic: FakeTopic, last: number): Promise<void> {
  for (let sequence = 0; sequence < last; sequence += 1) {
    const offsets = await loadOffsetsOfNext(pool, sequence);
    expect(offsets).not.toBeNull();
    const found = new Set(topic.changesFrom(offsets ?? []).map((change) => change.sequence));
    for (let next = sequence + 1; next <= last; next += 1) expect(found).toContain(next);
  }
}

describe('INV-4: a generation', () => {
  test('begins with the first topic, and continues with it', async () => {
    const topic = new FakeTopic('a');
    await makeChanges(5);
    await relayTo(topic);
    await makeChanges(5);
    await relayTo(topic);
    expect(await loadGeneration(client)).toMatchObject({ generation: 1, topicId: 'a', isComplete: true });
    expect(topic.changesFrom([])).toHaveLength(10);
    await expectPlaces(topic, 10);
  });

  test('that begins in place of lost records tells what a restored database needs as well', async () => {
    await relayTo(new FakeTopic('a'));
    const lines: string[] = [];
    const listening = createLog('test', 'warn', { write: (line) => lines.push(line) });
    await reconcileGeneration(client, new FakeTopic('b').seen, listening);
    expect(lines.join('')).toContain('another topic, b instead of a.');
    expect(lines.join('')).toContain('If the database was restored from a backup as well, follow');
  });

  test('begins with every other topic, which gets the same ids and bytes', async () => {
    const lost = new FakeTopic('a');
    for (let round = 0; round < 4; round += 1) {
      await makeChanges(7);
      await relayTo(lost);
    }
    const made = new FakeTopic('b');
    await relayTo(made);
    expect(await loadGeneration(client)).toMatchObject({ generation: 2, topicId: 'b', after: 28 });
    expect(made.contents).toEqual(lost.contents);
    await makeChanges(6);
    await relayTo(made);
    await expectPlaces(made, 34);
    const again = new FakeTopic('c');
    await relayTo(again);
    expect(again.contents).toEqual(made.contents);
    await expectPlaces(again, 34);
  });

  test('begins when the topic is shorter than it was', async () => {
    const topic = new FakeTopic('a');
    await makeChanges(9);
    await relayTo(topic);
    await makeChanges(3);
    await relayTo(topic);
    const older = new FakeTopic('a');
    older.partitions.forEach((records, partition) => {
      records.push(...(topic.partitions[partition]?.slice(0, 1) ?? []));
    });
    await relayTo(older);
    expect((await loadGeneration(client)).generation).toBe(2);
    await expectPlaces(older, 12);
  });

  test('is continued by the successor of a relay that died in the middle', async () => {
    const lost = new FakeTopic('a');
    await makeChanges(2500);
    await relayTo(lost);
    const made = new FakeTopic('b');
    made.recordsLeft = 1300;
    await expect(relayTo(made)).rejects.toThrow('killed');
    expect(await loadGeneration(client)).toMatchObject({ generation: 2, isComplete: false });
    // A gateway can continue only in the written part.
    expect(await loadPlaceAfter(pool, 500)).not.toBeNull();
    expect(await loadPlaceAfter(pool, 2500)).toBeNull();
    expect(await loadOffsetsOfNext(pool, 2400)).toBeNull();
    const secondRun = () => client.query('SELECT offsets FROM rebuilt_runs WHERE first_sequence = 1001');
    const { rows: begun } = await secondRun();

    made.recordsLeft = Number.POSITIVE_INFINITY;
    await relayTo(made);
    expect(await loadGeneration(client)).toMatchObject({ generation: 2, isComplete: true });
    expect((await secondRun()).rows).toEqual(begun);
    const sequences = made.changesFrom([]).map(({ sequence }) => sequence);
    expect(new Set(sequences).size).toBe(2500);
    expect(sequences.length).toBeLessThan(4000);
    const start = await loadFeedStart(pool, new Date(0), 100);
    expect(start.generation.generation).toBe(2);
    const found = made.changesFrom(start.start.offsets).map(({ sequence }) => sequence);
    for (let next = start.start.sequence + 1; next <= 2500; next += 1) expect(found).toContain(next);

    const again = new FakeTopic('c');
    await relayTo(again);
    expect(again.changesFrom([])).toHaveLength(2500);
  });

  test('is not complete if its relay stops leading while it writes', async () => {
    await makeChanges(1500);
    await relayTo(new FakeTopic('a'));
    const made = new FakeTopic('b');
    const generation = await reconcileGeneration(client, made.seen, log);
    const ending = new AbortController();
    const parts = { client, producer: made, generation, signal: ending.signal, log };
    await rebuildWindow({ ...parts, succeeded: async () => ending.abort() });
    expect(made.changesFrom([])).toHaveLength(1000);
    expect(await loadGeneration(client)).toMatchObject({ generation: 2, isComplete: false });
  });

  test('is written no further once another one has begun', async () => {
    await makeChanges(1500);
    await relayTo(new FakeTopic('a'));
    const made = new FakeTopic('b');
    const generation = await reconcileGeneration(client, made.seen, log);
    const begin = () => beginGeneration(client, { topicId: 'c', after: 1500, isComplete: true });
    const parts = { client, producer: made, generation, signal: new AbortController().signal, log };
    await expect(rebuildWindow({ ...parts, succeeded: begin })).rejects.toThrow('Generation 2 of the stream');
    expect(made.changesFrom([])).toHaveLength(1000);
  });

  test('sends a batch that the last relay left unacknowledged with the rest, once', async () => {
    const lost = new FakeTopic('a');
    await makeChanges(3);
    lost.recordsLeft = 1;
    await expect(relayTo(lost)).rejects.toThrow('killed');
    const made = new FakeTopic('b');
    await relayTo(made);
    expect(
      made
        .changesFrom([])
        .map(({ sequence }) => sequence)
        .sort(),
    ).toEqual([1, 2, 3]);
  });

  test('ends for a relay if its topic was replaced, or if an operator asks for the next', async () => {
    const generation = await reconcileGeneration(client, new FakeTopic('a').seen, log);
    await requireGeneration(client, generation, 'a');
    await expect(requireGeneration(client, generation, 'b')).rejects.toThrow('made anew');
    await requestGeneration(client);
    await expect(requireGeneration(client, generation, 'a')).rejects.toThrow('asked for');
  });
});

describe('the places of a generation', () => {
  const addBatch = (first: number, last: number, offsets: number[]) =>
    client.query('INSERT INTO relay_batches (first_sequence, last_sequence, offsets) VALUES ($1, $2, $3)', [
      first,
      last,
      offsets,
    ]);

  test('are those of its newest batch, or else of its newest run, and none of an earlier log', async () => {
    expect([await loadKnownOffsets(client), await loadRebuildStart(client)]).toEqual([[], null]);
    await addBatch(1, 5, [0, 4]);
    await addBatch(6, 9, [3, 2]);
    expect(await loadKnownOffsets(client)).toEqual([3, 2]);
    await requestGeneration(client);
    await beginGeneration(client, { topicId: 'b', after: 9, isComplete: false });
    expect([await loadKnownOffsets(client), (await loadGeneration(client)).isRequested]).toEqual([[], false]);
    await beginRun(client, 2, { first: 1, last: 4, offsets: [8] });
    await beginRun(client, 2, { first: 5, last: 9, offsets: [7] });
    expect([await loadKnownOffsets(client), await loadRebuildStart(client)]).toEqual([[7], 5]);
    expect(await loadRebuildProgress(client)).toMatchObject({ generation: 2, first: 1, written: 9 });
    await addBatch(10, 12, [6]);
    expect(await loadKnownOffsets(client)).toEqual([6]);
  });

  test('are acknowledged once it is complete, up to its last rebuilt change, and not for another one', async () => {
    const acknowledged = async () => {
      const { rows } = await client.query(
        'SELECT acknowledged_at IS NOT NULL AS done FROM relay_batches ORDER BY first_sequence',
      );
      return rows.map(({ done }) => done);
    };
    for (const first of [1, 6, 10]) await addBatch(first, first + 3, [0]);
    await beginGeneration(client, { topicId: 'b', after: 6, isComplete: false });
    await completeGeneration(client, 1);
    expect([await acknowledged(), (await loadGeneration(client)).isComplete]).toEqual([
      [false, false, false],
      false,
    ]);
    await completeGeneration(client, 2);
    expect([await acknowledged(), (await loadGeneration(client)).isComplete]).toEqual([
      [true, true, false],
      true,
    ]);
  });

  test('begin with the first change of the epoch that the change log still has', async () => {
    await makeChanges(4);
    await client.query('UPDATE stream_head SET epoch_after = 2');
    expect(await loadRebuildStart(client)).toBe(3);
    await client.query('UPDATE stream_head SET epoch_after = 0');
  });
});
