import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  advanceConsumerOffsets,
  loadConsumerOffsets,
  loadOffsetsOf,
  lockConsumerOffsets,
  type OffsetAdvance,
  reconcileTopic,
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
