import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { type ProduceAnswer, type ProduceRequest, sendProduce } from '../../../kafka/protocol/produce.ts';
import { readHeaders } from '../../../kafka/protocol/record-batches.ts';
import type { OutgoingRecord } from '../../../kafka/protocol/write-batch.ts';
import { TopicReader } from '../../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { partitionOfKey } from '../../../kafka/writing/key-partition.ts';
import { TopicWriter } from '../../../kafka/writing/topic-writer.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { createTestTopics } from '../../helpers/kafka/topics.ts';
import { until } from '../../helpers/until.ts';

const NOT_LEADER = 6;
const MESSAGE_TOO_LARGE = 10;
const PRODUCER_ID_AT = 43;
const FIRST_SEQUENCE_AT = 53;

let brokers: Brokers;
let topic: string;
let writer: TopicWriter;
/** The requests so far. */
let requests: ProduceRequest[];
/** The faults of the next requests; without one, a request is passed on. */
let faults: ((
  request: ProduceRequest,
  pass: (part?: ProduceRequest) => Promise<ProduceAnswer[]>,
) => Promise<ProduceAnswer[]>)[];

beforeEach(async () => {
  const topics = await createTestTopics({ partitions: 3 });
  brokers = topics.brokers;
  topic = topicNames(topics.prefix).changes;
  requests = [];
  faults = [];
  writer = new TopicWriter({
    brokers,
    topic,
    clientId: 'test',
    produce: (connection, request) => {
      requests.push(request);
      const pass = (part = request) => sendProduce(connection, part);
      const fault = faults.shift();
      return fault ? fault(request, pass) : pass();
    },
  });
});
afterEach(() => writer.close());

const KEYS = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay'];
let made = 0;
function makeRecords(count: number): OutgoingRecord[] {
  return Array.from({ length: count }, () => {
    made += 1;
    return {
      key: KEYS[made % KEYS.length] ?? '',
      value: Buffer.from(`value ${made}`),
      headers: { made: `${made}` },
    };
  });
}

/** The values of each partition, in the order of their offsets. */
async function readValues(): Promise<Map<number, string[]>> {
  const reader = new TopicReader({ brokers, topic, clientId: 'test-reader' });
  try {
    const [node = 0] = await reader.sources();
    const reads = await reader.fetch(node, new Map([0, 1, 2].map((partition) => [partition, 0])), {
      maxWaitMs: 0,
      partitionMaxBytes: 10_000_000,
    });
    return new Map(
      reads.map(({ partition, records }) => [partition, records.map(({ value }) => String(value))]),
    );
  } finally {
    await reader.close();
  }
}

function valuesOf(records: readonly OutgoingRecord[]): Map<number, string[]> {
  const values = new Map<number, string[]>([0, 1, 2].map((partition) => [partition, []]));
  for (const { key, value } of records) values.get(partitionOfKey(key, 3))?.push(String(value));
  return values;
}

function producerIds(): Set<bigint> {
  return new Set(
    requests.flatMap(({ batches }) =>
      [...batches.values()].map((bytes) => bytes.readBigInt64BE(PRODUCER_ID_AT)),
    ),
  );
}

/** The client's error for a lost connection. */
const lost = () => Object.assign(new Error('The connection is lost.'), { canRetry: true });

describe('a writer', () => {
  test('writes each record once, in order, to the partition of its key, and returns its place', async () => {
    const rounds = [makeRecords(50), makeRecords(1), makeRecords(200)];
    const ends = new Map<number, number>();
    for (const records of rounds) {
      for (const { partition, baseOffset } of await writer.send(records)) {
        expect(baseOffset).toBe(ends.get(partition) ?? 0);
        const own = valuesOf(records).get(partition) ?? [];
        ends.set(partition, baseOffset + own.length);
      }
    }
    expect(await readValues()).toEqual(valuesOf(rounds.flat()));
    expect(producerIds().size).toBe(1);
  });

  test('keeps the headers of records', async () => {
    const [record] = makeRecords(1);
    await writer.send(record ? [record] : []);
    const reader = new TopicReader({ brokers, topic, clientId: 'test-reader' });
    const [node = 0] = await reader.sources();
    const partition = partitionOfKey(record?.key ?? '', 3);
    const [read] = await reader.fetch(node, new Map([[partition, 0]]), {
      maxWaitMs: 0,
      partitionMaxBytes: 10_000,
    });
    const headers = read?.records[0]?.headers;
    expect(headers && Object.fromEntries(readHeaders(headers))).toEqual(record?.headers);
    await reader.close();
  });

  test('sends a request again if its answer is lost, and the broker accepts it once', async () => {
    const before = makeRecords(10);
    await writer.send(before);
    requests = [];
    const records = makeRecords(30);
    faults = [
      async (_request, pass) => {
        await pass();
        throw lost();
      },
    ];
    const acknowledged = await writer.send(records);
    expect(acknowledged.length).toBe(requests.at(-1)?.batches.size);
    const after = makeRecords(10);
    await writer.send(after);
    expect(requests).toHaveLength(3);
    expect(await readValues()).toEqual(valuesOf([...before, ...records, ...after]));
  });

  test('resends only the refused batches', async () => {
    const before = makeRecords(12);
    await writer.send(before);
    requests = [];
    const records = makeRecords(30);
    faults = [
      async ({ batches, ...request }, pass) => {
        const [[first, bytes] = [0, Buffer.of()]] = batches;
        const others = new Map([...batches].filter(([partition]) => partition !== first));
        expect(bytes.length).toBeGreaterThan(0);
        const answers = others.size > 0 ? await pass({ ...request, batches: others }) : [];
        return [...answers, { partition: first, errorCode: NOT_LEADER, baseOffset: -1 }];
      },
    ];
    const acknowledged = await writer.send(records);
    expect(requests.map(({ batches }) => batches.size)).toEqual([acknowledged.length, 1]);
    expect(await readValues()).toEqual(valuesOf([...before, ...records]));
  });

  test('begins no attempt after its time for retries', async () => {
    const hurried = new TopicWriter({
      ...{ brokers, topic, clientId: 'test', retryMs: 50 },
      produce: (_connection, request) => {
        requests.push(request);
        return Promise.reject(lost());
      },
    });
    try {
      await expect(hurried.send(makeRecords(1))).rejects.toThrow('The connection is lost.');
      expect(requests).toHaveLength(1);
    } finally {
      await hurried.close();
    }
  });

  test('is a new producer after a failure, because the outcome is unknown', async () => {
    await writer.send(makeRecords(5));
    // The first records of a new topic may need several requests, until its partitions have leaders.
    requests = [];
    faults = [
      async ({ batches }) =>
        [...batches.keys()].map((partition) => ({ partition, errorCode: MESSAGE_TOO_LARGE, baseOffset: -1 })),
    ];
    await expect(writer.send(makeRecords(5))).rejects.toThrow('MESSAGE_TOO_LARGE');
    const records = makeRecords(12);
    await writer.send(records);
    expect(requests).toHaveLength(2);
    expect(producerIds().size).toBe(2);
    const firsts = [...(requests[1]?.batches.values() ?? [])].map((bytes) =>
      bytes.readInt32BE(FIRST_SEQUENCE_AT),
    );
    expect(firsts).toEqual(firsts.map(() => 0));
    const read = [...(await readValues()).values()].flat();
    expect(read).toHaveLength(17);
    expect(read).toEqual(expect.arrayContaining(records.map(({ value }) => String(value))));
  });

  test('gives up after some attempts', async () => {
    faults = Array.from({ length: 20 }, () => () => Promise.reject(lost()));
    await expect(writer.send(makeRecords(1))).rejects.toThrow('The connection is lost.');
    expect(requests.length).toBeGreaterThan(2);
    expect(requests.length).toBeLessThan(10);
  });

  test('writes to added partitions, once it learns of them', async () => {
    await writer.send(makeRecords(12));
    await withAdmin(brokers, (admin) => admin.createPartitions({ topicPartitions: [{ topic, count: 5 }] }));
    // A broker may briefly report the old partitions after it has added new ones.
    let fresh = new TopicWriter({ brokers, topic, clientId: 'test' });
    await until('a new writer hears of five partitions', async () => {
      if ((await fresh.countPartitions()) === 5) return true;
      await fresh.close();
      fresh = new TopicWriter({ brokers, topic, clientId: 'test' });
      return false;
    });
    const acknowledged = await fresh.send(KEYS.map((key) => ({ key, value: Buffer.from('new') })));
    const expected = new Set(KEYS.map((key) => partitionOfKey(key, 5)));
    expect(new Set(acknowledged.map(({ partition }) => partition))).toEqual(expected);
    await fresh.close();
  });

  test('reports a topic that does not exist', async () => {
    const nowhere = new TopicWriter({ brokers, topic: `${topic}-nowhere`, clientId: 'test' });
    await expect(nowhere.connect()).rejects.toThrow();
    await nowhere.close();
  });
});
