import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  advanceConsumerOffsets,
  loadConsumerOffsets,
  loadOffsetsOf,
  loadStoredOffsets,
  lockConsumerOffsets,
  type OffsetAdvance,
  reconcileTopic,
  resetConsumerOffset,
  type StoredOffset,
} from '../../store/stream/consumer-offsets.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();
const TOPIC = 'submissions';

beforeEach(async () => {
  await client.query('TRUNCATE consumer_offsets, consumed_topics');
  await lockConsumerOffsets(client, TOPIC, [0, 1]);
  await advanceConsumerOffsets(client, TOPIC, [
    { partition: 0, from: 0, to: 5 },
    { partition: 1, from: 0, to: 7 },
  ]);
  // Every test has another topic beside its own.
  await client.query(
    `INSERT INTO consumer_offsets (topic, partition, next_offset) VALUES ('other', 0, 50), ('other', 2, 70)`,
  );
  await client.query(
    `INSERT INTO consumed_topics (topic, topic_id, cluster_id) VALUES ('other', 'its id', 'its cluster')`,
  );
});

describe('INV-8: an offset advances only from its present value', () => {
  test.each<[string, OffsetAdvance[]]>([
    ['before it', [{ partition: 0, from: 4, to: 9 }]],
    ['after it', [{ partition: 0, from: 6, to: 9 }]],
    ['the offset of another partition', [{ partition: 0, from: 7, to: 9 }]],
    ['a partition without an offset', [{ partition: 2, from: 0, to: 9 }]],
    [
      'one of several',
      [
        { partition: 0, from: 5, to: 9 },
        { partition: 1, from: 6, to: 9 },
      ],
    ],
  ])('fails from %s', async (_, advances) => {
    await client.query('BEGIN');
    await expect(advanceConsumerOffsets(client, TOPIC, advances)).rejects.toThrow(
      expect.objectContaining({ name: 'SupersededError' }),
    );
    await client.query('ROLLBACK');
    expect(await loadConsumerOffsets(client, TOPIC)).toEqual(
      new Map([
        [0, 5],
        [1, 7],
      ]),
    );
  });

  test('ignores the offsets of another topic', async () => {
    const other = 'rejected';
    await lockConsumerOffsets(client, other, [0]);
    await expect(
      advanceConsumerOffsets(client, other, [{ partition: 0, from: 5, to: 9 }]),
    ).rejects.toHaveProperty('name', 'SupersededError');
  });
});

test('an error for another reason than a moved offset stays that error', async () => {
  const late = Object.assign(new Error('canceling statement'), { code: '57014' });
  const failing = { query: () => Promise.reject(late) } as unknown as typeof client;
  await expect(advanceConsumerOffsets(failing, TOPIC, [{ partition: 0, from: 5, to: 9 }])).rejects.toBe(late);
});

test('INV-8: a partition that was added begins at its beginning, and the others keep their offsets', async () => {
  expect(await lockConsumerOffsets(client, TOPIC, [0, 1, 2])).toEqual(
    new Map([
      [0, 5],
      [1, 7],
      [2, 0],
    ]),
  );
});

test('INV-8: a topic that was replaced loses its offsets, tells its former ids, and no other topic loses any', async () => {
  expect(await reconcileTopic(client, TOPIC, { topicId: 'first', clusterId: 'a' })).toBeNull();
  expect(await reconcileTopic(client, TOPIC, { topicId: 'first', clusterId: 'a' })).toBeNull();
  expect((await loadConsumerOffsets(client, TOPIC)).size).toBe(2);
  const former = { topicId: 'first', clusterId: 'a' };
  expect(await reconcileTopic(client, TOPIC, { topicId: 'second', clusterId: 'b' })).toEqual(former);
  expect(await loadConsumerOffsets(client, TOPIC)).toEqual(new Map());
  const next = { topicId: 'second', clusterId: 'b' };
  expect(await reconcileTopic(client, TOPIC, { topicId: 'third', clusterId: 'c' })).toEqual(next);
  expect(await loadConsumerOffsets(client, 'other')).toEqual(
    new Map([
      [0, 50],
      [2, 70],
    ]),
  );
});

test('the time of an offset is known until the offset is set by hand', async () => {
  await advanceConsumerOffsets(client, TOPIC, [
    { partition: 0, from: 5, to: 6, appendedAt: 1_793_000_000_123 },
  ]);
  const unknown = { offset: 7, appendedAt: null };
  expect(await loadStoredOffsets(client, TOPIC)).toEqual(
    new Map<number, StoredOffset>([
      [0, { offset: 6, appendedAt: 1_793_000_000_123 }],
      [1, unknown],
    ]),
  );
  await resetConsumerOffset(client, TOPIC, 0, 4);
  expect(await loadStoredOffsets(client, TOPIC)).toEqual(
    new Map<number, StoredOffset>([
      [0, { offset: 4, appendedAt: null }],
      [1, unknown],
    ]),
  );
});

describe('the offsets of a topic with an id', () => {
  test('are not those of the topic before it, if it is noticed while they are loaded', async () => {
    const cluster = { clusterId: 'c' };
    await reconcileTopic(client, TOPIC, { topicId: 'old', ...cluster });
    let queries = 0;
    const query = async (...asked: [string, unknown[]]) => {
      const answer = await client.query(...asked);
      queries += 1;
      if (queries === 1) await reconcileTopic(client, TOPIC, { topicId: 'new', ...cluster });
      return answer;
    };
    const between = { query } as unknown as typeof client;
    expect(await loadOffsetsOf(between, { topic: TOPIC, topicId: 'new' })).toEqual(new Map());
  });

  const offsetsOf = async (topicId: string) => [...(await loadOffsetsOf(client, { topic: TOPIC, topicId }))];

  test('are the stored ones while no id is stored, which an earlier version did not do', async () => {
    expect((await offsetsOf('any')).sort()).toEqual([
      [0, 5],
      [1, 7],
    ]);
  });

  test('are the stored ones of its id, and none of another id', async () => {
    await reconcileTopic(client, TOPIC, { topicId: 'mine', clusterId: 'home' });
    expect(await offsetsOf('mine')).toHaveLength(2);
    expect(await offsetsOf('another')).toEqual([]);
  });
});
