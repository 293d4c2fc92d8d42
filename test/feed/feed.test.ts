/** The feed of a gateway, step by step: a database, a topic and a clock that the test moves. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Base } from '@platformatic/kafka';
import { Feed } from '../../feed/feed.ts';
import type { ResumePoint } from '../../feed/rendered-event.ts';
import { Replay } from '../../feed/replay.ts';
import { StreamGapError } from '../../feed/stream-gap-error.ts';
import type { PartitionRead } from '../../kafka/reading/partition-read.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { changeCodec } from '../../schemas/change.ts';
import { formatEventId } from '../../schemas/cursor.ts';
import { plaintextBrokers } from '../../service/brokers.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { ManualClock, settle } from '../helpers/service/manual-clock.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

const TOPIC = 'changes';
const SECOND = 1000;
/** The intervals of comparing the histories: before they have agreed, afterwards, and while the feed is behind. */
const [FIRST_MS, USUAL_MS, BEHIND_MS] = [200, 5000, 1000];
/** The interval of looking for holes, in milliseconds. */
const LOOK_MS = 1500;

const { log, lines } = captureLog('warn');
const reported = () => lines.map(({ msg }) => msg.split(/[;:(]/)[0].trim());

/** What the database says. */
let database: {
  isAway: boolean;
  epoch: number;
  lastSequence: number;
  /** The newest sequence that was certainly in Kafka. */
  target: number;
  /** The sequence after which a feed begins. */
  beginning: number;
  generation: number;
  topicId: string | null;
  after: number;
  /** The place in the present log after any change; null if the log is not written so far. */
  place: { offsets: number[]; target: number } | null;
  /** Whether it has other changes than Kafka. */
  differs: boolean;
  comparisons: number;
};
/** The topic in Kafka: its id, and the epoch and sequence of each record. */
let topicId: string;
let records: [epoch: number, sequence: number][];
/** The fetches that wait for their answers. */
let held: { offset: number; answer: (reads: PartitionRead[]) => void }[];
let clock: ManualClock;
let feed: Feed;
let close: jest.SpiedFunction<TopicReader['close']>;
let newEpochs: number;

const pool = {
  async one({ sql }: { sql: string }) {
    const { epoch, lastSequence, target, beginning, generation, topicId: id, after } = database;
    const isStart = sql.includes('WITH relayed');
    if (!isStart) database.comparisons += 1;
    if (database.isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    const log = { generation, topicId: id, after, isComplete: true };
    return isStart
      ? { epoch, target, sequence: beginning, offsets: [], ...log }
      : { epoch, lastSequence, ...log };
  },
  async maybeOne() {
    if (database.isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    return database.place;
  },
  maybeOneFirst: async () => null,
  async any({ values }: { values: number[] }) {
    const [from = 0, to = 0] = values;
    if (!database.differs || from !== to) return [];
    const change = { occurredAt: 1, type: 'created', endorser: 'x', packed: null, body: CHANGE_BODY };
    return [{ ...change, sequence: from, epoch: database.epoch, offsets: [0] }];
  },
} as unknown as DatabasePool;

beforeEach(() => {
  database = {
    ...{
      isAway: false,
      epoch: 1,
      lastSequence: 100,
      target: 0,
      beginning: 0,
      generation: 1,
      topicId: null,
      after: 0,
    },
    ...{ place: null, differs: false, comparisons: 0 },
  };
  [topicId, records, held, newEpochs, lines.length] = ['a', [], [], 0, 0];
  clock = new ManualClock();
  close = jest.spyOn(TopicReader.prototype, 'close');
  jest.spyOn(Base.prototype, 'metadata').mockImplementation((async () => ({
    ...{ id: 'cluster', brokers: new Map([[1, {}]]) },
    topics: new Map([[TOPIC, { id: topicId, partitions: [{ leader: 1, leaderEpoch: 0 }] }]]),
  })) as never);
  jest.spyOn(TopicReader.prototype, 'fetch').mockImplementation(
    (_, offsets) =>
      new Promise((answer) => {
        held.push({ offset: offsets.get(0) ?? -1, answer });
      }),
  );
});
afterEach(async () => {
  const stopped = feed.stop();
  await settle();
  await poll();
  await stopped;
  await settle();
  // It neither reads on nor keeps its connections.
  expect([held, close.mock.calls.length]).toEqual([[], 1]);
  jest.restoreAllMocks();
});

function encodeChange(epoch: number, sequence: number): Buffer {
  const time = clock.now();
  const id = formatEventId({ epoch, sequence, time, offsets: [0] });
  return changeCodec.encode({ ...CHANGE_BODY, epoch, sequence, id, type: 'created', occurred_at: time });
}

async function start(): Promise<void> {
  feed = new Feed({
    brokers: plaintextBrokers(['127.0.0.1:1']),
    ...{ topic: TOPIC, pool, memoryBytes: 1_000_000, replayBytes: 0, retentionMs: 60_000 },
    onNewEpoch: () => {
      newEpochs += 1;
    },
    ...{ clock, log },
  });
  feed.start();
  await settle();
}

/** Answers the waiting fetches with all records from their offsets on. */
async function poll(): Promise<void> {
  const end = records.length;
  for (const { offset, answer } of held.splice(0)) {
    const found = records.slice(offset).map(([epoch, sequence], index) => ({
      ...{ offset: offset + index, timestamp: 0, key: null, headers: null },
      value: encodeChange(epoch, sequence),
    }));
    const place = { nextOffset: Math.max(offset, end), newestAt: 0, end, stableEnd: end };
    answer([{ partition: 0, records: found, unreadable: [], ...place, atEnd: true, isOutOfRange: false }]);
  }
  await settle();
}

/** Writes changes of the present epoch, which the feed reads. */
async function write(...sequences: number[]): Promise<void> {
  records.push(...sequences.map((sequence): [number, number] => [1, sequence]));
  await poll();
}

/** Starts a feed that has caught up with two changes, and agrees with the database. */
async function startReady(): Promise<void> {
  await start();
  await write(1, 2);
  await clock.advance(FIRST_MS);
  expect(feed.ready).toBe(true);
}

/** Lets the feed compare its history, without being behind. */
async function compare(): Promise<void> {
  const before = database.comparisons;
  while (database.comparisons === before) {
    await poll();
    await clock.advance(FIRST_MS);
  }
}

test('a feed starts as soon as the database answers, and tells once that it does not', async () => {
  [database.isAway, database.beginning] = [true, 40];
  await start();
  for (let retry = 0; retry < 3; retry += 1) await clock.advance(500);
  await clock.advance(499);
  expect([feed.epoch, held.length]).toEqual([0, 0]);
  database.isAway = false;
  await clock.advance(1);
  expect([feed.epoch, held.length, feed.latest.sequence]).toEqual([1, 1, 40]);
  expect(reported()).toEqual(['the stream cannot be followed yet']);
});

test('a feed is ready once it has all changes of its start, and then agrees with the database', async () => {
  database.target = 2;
  await start();
  await write(1);
  await clock.advance(FIRST_MS);
  expect(feed.ready).toBe(false);
  await write(2);
  expect(feed.ready).toBe(false);
  await clock.advance(FIRST_MS);
  expect(feed.ready).toBe(true);
});

test('a feed of a stream without changes is ready, and has the time up to which there are none', async () => {
  await start();
  await clock.advance(FIRST_MS);
  expect([feed.ready, feed.latest.time]).toEqual([false, 0]);
  const before = clock.now();
  await compare();
  await compare();
  expect([feed.ready, feed.latest.time > before]).toEqual([true, true]);
});

test('a feed gives the changes in its memory with the point after the last one', async () => {
  await startReady();
  const { events, resumePoint } = await feed.read({ sequence: 0, time: 0, offsets: [] }, 1);
  expect([events.map(({ sequence }) => sequence), resumePoint.sequence]).toEqual([[1, 2], 2]);
});

test('the histories are compared often at first and while the feed is behind, and seldom otherwise', async () => {
  await start();
  await clock.advance(SECOND);
  expect(database.comparisons).toBe(SECOND / FIRST_MS);
  await write(1);
  await clock.advance(FIRST_MS);
  database.comparisons = 0;
  for (let second = 0; second < 3; second += 1) {
    await clock.advance(SECOND);
    await poll();
    expect(feed.behindMs).toBeLessThanOrEqual(SECOND + FIRST_MS);
  }
  await clock.advance(USUAL_MS - 3 * SECOND - 1);
  expect(database.comparisons).toBe(0);
  await clock.advance(1);
  expect(database.comparisons).toBe(1);
  // It has asked for records two seconds ago, and gets no answer.
  await clock.advance(USUAL_MS + 5 * BEHIND_MS);
  expect(database.comparisons).toBeGreaterThanOrEqual(5);
});

describe('INV-3: a feed', () => {
  test('is not ready while the database lacks its changes, and tells of each conflict once', async () => {
    await startReady();
    for (const conflicts of [1, 2]) {
      database.lastSequence = 1;
      for (let comparison = 0; comparison < 3; comparison += 1) await compare();
      expect([feed.isInConflict, feed.ready, lines.length]).toEqual([true, false, conflicts]);
      database.lastSequence = 2;
      await compare();
      expect([feed.isInConflict, feed.ready]).toEqual([false, true]);
    }
  });

  test('is not ready if the newest change of the database differs', async () => {
    await startReady();
    database.differs = true;
    await compare();
    expect([feed.isInConflict, feed.ready]).toEqual([true, false]);
  });

  test('keeps the last answer while the database is away, and tells of that once', async () => {
    await startReady();
    database.isAway = true;
    for (let comparison = 0; comparison < 3; comparison += 1) await compare();
    expect([feed.isInConflict, feed.ready]).toEqual([false, true]);
    expect(reported()).toEqual(['the history of the stream cannot be compared']);
  });

  test('names the highest epoch of Kafka above that of the database', async () => {
    await startReady();
    records.push([4, 1], [2, 1]);
    await poll();
    records.push([3, 1]);
    await poll();
    await compare();
    expect(feed.isInConflict).toBe(true);
    expect(lines.at(-1)?.msg).toContain('changes of epoch 4');
  });

  test('ends when a new history begins, and tells of it once', async () => {
    await startReady();
    database.epoch = 2;
    await compare();
    const { comparisons } = database;
    await clock.advance(4 * USUAL_MS);
    expect([newEpochs, database.comparisons, feed.epoch]).toEqual([1, comparisons, 1]);
    expect(lines.at(-1)?.msg).toContain('a gateway must be restarted, and other programs follow it');
  });
});

describe('INV-4: when the stream continues in another log', () => {
  test('a feed moves once that log is written so far, reads from its place there, and only once', async () => {
    const forget = jest.spyOn(Replay.prototype, 'forgetPlaces');
    await startReady();
    const reader = feed.openReader({}, 1);
    const waiting = reader.next({ sequence: 2, time: 0, offsets: [] });
    [topicId, database.generation, database.topicId] = ['b', 2, 'b'];
    for (let comparison = 0; comparison < 2; comparison += 1) await compare();
    expect([held[0]?.offset, forget.mock.calls.length]).toEqual([2, 0]);
    records = [1, 1, 1, 1, 1, 1, 1].map((epoch): [number, number] => [epoch, 1]);
    database.place = { offsets: [7], target: 2 };
    for (let comparison = 0; comparison < 3; comparison += 1) await compare();
    expect([held.map(({ offset }) => offset), forget.mock.calls.length]).toEqual([[7], 1]);
    expect(reported().filter((text) => text.startsWith('the stream continues'))).toHaveLength(1);
    await write(3);
    expect((await waiting).events.map(({ sequence }) => sequence)).toEqual([3]);
    reader.close();
  });

  test('a move that fails is tried again', async () => {
    await startReady();
    [topicId, database.generation, database.topicId] = ['b', 2, 'b'];
    database.place = { offsets: [0], target: 2 };
    const { maybeOne } = pool;
    const failing = jest.spyOn(pool, 'maybeOne').mockRejectedValueOnce(new TypeError('injected'));
    await compare();
    expect(failing).toHaveBeenCalledTimes(1);
    failing.mockImplementation(maybeOne);
    await compare();
    await compare();
    expect(reported()).toEqual([
      'the stream has moved to another Kafka log that cannot be found yet',
      'the stream continues in another Kafka log',
    ]);
  });

  test('without another generation, no changes of that log are read: its name is known since the relay has seen it', async () => {
    await startReady();
    database.topicId = 'a';
    await compare();
    topicId = 'b';
    const { length } = lines;
    await poll();
    await clock.advance(2 * LOOK_MS);
    expect(lines[length]?.error.message).toContain('made anew');
  });
});

describe('INV-7: after changes that neither Kafka nor the change log has', () => {
  const pointAfter = (sequence: number): ResumePoint => ({ sequence, time: 0, offsets: [] });

  test('a waiting reader looks again and finds the gap, and another one gets the changes after it', async () => {
    const read = jest.spyOn(Replay.prototype, 'read').mockImplementation(async (resumePoint) => ({
      events: [],
      resumePoint,
    }));
    database.after = 1;
    await startReady();
    const [before, ahead] = [feed.openReader({}, 1), feed.openReader({}, 1)];
    const waiting = before.next(pointAfter(2));
    const after = ahead.next(pointAfter(4));
    await write(5);
    await clock.advance(3 * LOOK_MS);
    const { events, resumePoint } = await waiting;
    expect([events, resumePoint.sequence, feed.latest.sequence]).toEqual([[], 2, 5]);
    await expect(before.next(resumePoint)).rejects.toThrow(StreamGapError);
    expect(read.mock.calls.map(([, stream]) => stream)).toEqual([{ epoch: 1, foreignUpTo: 1, latest: 5 }]);
    const first = await after;
    const next = first.events.length > 0 ? first : await ahead.next(first.resumePoint);
    expect(next.events.map(({ sequence }) => sequence)).toEqual([5]);
    before.close();
    ahead.close();
  });

  test('no change is compared with the one of that number in the database', async () => {
    database.target = 4;
    await start();
    await write(1, 2);
    await clock.advance(3 * LOOK_MS);
    expect(feed.latest.sequence).toBe(4);
    database.differs = true;
    await compare();
    expect([feed.isInConflict, feed.ready]).toEqual([false, true]);
  });
});
