import { beforeEach, expect, test } from '@jest/globals';
import { reconcileOffsets, wasTruncated } from '../../consumers/apply/reconcile-offsets.ts';
import type { PartitionRead } from '../../kafka/reading/partition-read.ts';
import { createLog } from '../../service/log.ts';
import { loadConsumerOffsets } from '../../store/stream/consumer-offsets.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const TOPIC = 'submissions';
/** The append time of the newest applied submission, in milliseconds since 1970. */
const APPLIED_UP_TO = 5000;
const { client } = useTestDatabase();
let lines: string[];

beforeEach(async () => {
  await client.query('TRUNCATE consumer_offsets, consumed_topics');
  lines = [];
});

interface Seen {
  topicId: string;
  clusterId: string;
  /** By partition: its beginning and its end. */
  bounds: [number, number][];
  /** By partition: the append time of each record from the beginning, in milliseconds since 1970. */
  appended?: number[][];
  /** The group's committed offsets, by partition. */
  committed?: [number, number][];
}

const pairs = (...all: [number, number][]) => all;
/** The topic and cluster that were read before, with these bounds. */
const home = (...bounds: [number, number][]): Seen => ({ topicId: 'a', clusterId: 'home', bounds });
/** A topic of another cluster. */
const away = (...bounds: [number, number][]): Seen => ({ topicId: 'b', clusterId: 'away', bounds });

function createReader({ topicId, clusterId, bounds, appended = [] }: Seen) {
  return {
    identify: async () => ({ topicId, clusterId }),
    bounds: async () => bounds.map(([start, end]) => ({ start, end, stableEnd: end })),
    offsetAt: async (partition: number, time: number) => {
      const index = (appended[partition] ?? []).findIndex((each) => each >= time);
      return index === -1 ? null : (bounds[partition]?.[0] ?? 0) + index;
    },
    fetchFromLeader: async (partition: number, offset: number): Promise<PartitionRead> => {
      const timestamp = appended[partition]?.[offset - (bounds[partition]?.[0] ?? 0)];
      const record = { offset, timestamp: timestamp ?? 0, key: null, value: null, headers: null };
      const records = timestamp === undefined ? [] : [record];
      const [, end = 0] = bounds[partition] ?? [];
      const place = { nextOffset: offset + 1, newestAt: 0, end, stableEnd: end };
      return { partition, records, unreadable: [], ...place, atEnd: false, isOutOfRange: false };
    },
  };
}

async function settle(seen: Seen): Promise<number[]> {
  const { offsets } = await reconcileOffsets({
    client,
    reader: createReader(seen),
    group: { load: async () => new Map(seen.committed) },
    topic: TOPIC,
    log: createLog('test', 'info', { write: (line) => lines.push(line) }),
  });
  const stored = await loadConsumerOffsets(client, TOPIC);
  for (const [partition, offset] of offsets.entries()) expect(stored.get(partition) ?? 0).toBe(offset);
  return offsets;
}

/** Settles on a topic, and applies it up to these offsets. */
async function applied(...offsets: number[]): Promise<void> {
  await settle(home(...offsets.map((end): [number, number] => [0, end])));
  for (const [partition, offset] of offsets.entries()) {
    await client.query(
      `INSERT INTO consumer_offsets VALUES ($1, $2, $3, to_timestamp($4), $3)
       ON CONFLICT (topic, partition) DO UPDATE SET next_offset = excluded.next_offset,
         last_appended_at = excluded.last_appended_at, last_appended_offset = excluded.last_appended_offset`,
      [TOPIC, partition, offset, APPLIED_UP_TO / 1000],
    );
  }
  lines = [];
}

test.each<[string, Seen, number[], string | null]>([
  ['continues at the stored offset', home([0, 9], [3, 9]), [5, 7], null],
  [
    'begins with the remaining submissions, if some have expired',
    home([6, 9], [3, 9]),
    [6, 7],
    'expired before they were applied',
  ],
  [
    'waits at the end of a partition that has lost its newest records',
    { ...home([0, 4], [3, 9]), appended: [[1, 2, 3, 4]] },
    [4, 7],
    'was rolled back',
  ],
  [
    'applies no submission of the same millisecond as the last applied one again',
    { ...home([0, 4], [3, 9]), appended: [[1, 2, 5000, 5000]] },
    [4, 7],
    'was rolled back',
  ],
  [
    'reads new records of a partition that has lost its newest records',
    { ...home([0, 5], [3, 9]), appended: [[1, 2, 3, 6000, 6001]] },
    [3, 7],
    'was rolled back',
  ],
  [
    'reads new records, even if there are more of them than were lost',
    { ...home([0, 7], [3, 9]), appended: [[1, 2, 3, 6000, 6001, 6002, 6003]] },
    [3, 7],
    'was rolled back',
  ],
  [
    "continues at the stored offset, if the broker's clock was set back",
    { ...home([0, 7], [3, 9]), appended: [[1, 2, 5000, 4, 5, 6, 7]] },
    [5, 7],
    null,
  ],
  [
    'continues at the stored offset, if an earlier version applied a record with the time of a fast clock',
    { ...home([0, 7], [3, 9]), appended: [[1, 2, 9000, 4, 5000, 5001, 5002]] },
    [5, 7],
    null,
  ],
  [
    "reads a topic that was made anew from its beginning, and ignores the group's offsets",
    { ...home([0, 90], [0, 90]), topicId: 'b', committed: pairs([0, 5], [1, 7]) },
    [0, 0],
    'was replaced',
  ],
  [
    "reads a mirror from its group's translated offsets, if the mirror has them",
    { ...away([0, 90], [20, 90], [0, 3], [0, 8]), committed: pairs([0, 15], [1, 17], [3, 9]) },
    [15, 20, 0, 0],
    'was replaced',
  ],
  ['reads an emptied cluster from its beginning', away([0, 2], [0, 0]), [0, 0], 'was replaced'],
])('INV-8: apply %s', async (_, seen, offsets, said) => {
  await applied(5, 7);
  expect(await settle(seen)).toEqual(offsets);
  if (said === null) expect(lines).toEqual([]);
  else expect(lines.join()).toContain(said);
  // A second start does not repeat it.
  lines = [];
  expect(await settle(seen)).toEqual(offsets);
  expect(lines).toEqual([]);
});

test('INV-8: a partition that has lost its newest records is read from its beginning if no time tells which are new', async () => {
  await applied(5, 7);
  await client.query('UPDATE consumer_offsets SET last_appended_at = NULL');
  expect(await settle({ ...home([1, 4], [3, 9]), appended: [[6000, 6001, 6002]] })).toEqual([1, 7]);
});

test("INV-8: a topic counts as known only together with its offsets, so that the mirror's are looked for again", async () => {
  await applied(5);
  const mirror: Seen = { topicId: 'b', clusterId: 'other', bounds: [[0, 9]], committed: [[0, 4]] };
  const query = async (statement: string, values: unknown[]) => {
    if (statement.startsWith('INSERT INTO consumer_offsets')) throw new Error('away');
    return client.query(statement, values);
  };
  const failing = reconcileOffsets({
    client: { query } as unknown as typeof client,
    reader: createReader(mirror),
    group: { load: async () => new Map(mirror.committed) },
    topic: TOPIC,
    log: createLog('test', 'silent'),
  });
  await expect(failing).rejects.toThrow('away');
  await client.query('ROLLBACK');
  expect(await settle(mirror)).toEqual([4]);
});

test('INV-8: apply continues at the stored offset, if an earlier version has moved it since', async () => {
  await applied(5, 7);
  await client.query('UPDATE consumer_offsets SET next_offset = next_offset + 2 WHERE topic = $1', [TOPIC]);
  const appended = [[1, 2, 3, 4, 5, 6000, 6001, 6002, 6003]];
  expect(await settle({ ...home([0, 9], [0, 9]), appended })).toEqual([7, 9]);
  expect(lines).toEqual([]);
});

test('INV-8: when reading recovers, apply notices that any partition was rolled back', async () => {
  await applied(5, 7);
  const [first, second] = [
    [1, 2, 3, 4, APPLIED_UP_TO],
    [1, 2, 3, 4, 5, 6, APPLIED_UP_TO],
  ];
  const notices = (...appended: number[][]) => {
    const seen = home(...appended.map(({ length }): [number, number] => [0, length]));
    return wasTruncated(client, createReader({ ...seen, appended }), TOPIC, [0, 1]);
  };
  expect(await notices(first, second)).toBe(false);
  expect(await notices(first.slice(0, 2), second)).toBe(true);
  expect(await notices(first, second.slice(0, 2))).toBe(true);
});
