/** How a writer continues after every kind of answer of the leaders, which the test gives. topic-writer.test.ts asks real ones. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Base, type MetadataOptions } from '@platformatic/kafka';
import type { ProduceAnswer } from '../../../kafka/protocol/produce.ts';
import { partitionOfKey } from '../../../kafka/writing/key-partition.ts';
import { openProducer } from '../../../kafka/writing/submissions-producer.ts';
import { TopicWriter } from '../../../kafka/writing/topic-writer.ts';
import { plaintextBrokers } from '../../../service/brokers.ts';

const TOPIC = 'topic';
const BROKERS = plaintextBrokers(['127.0.0.1:1']);
const [NOT_LEADER, UNAUTHORIZED, DUPLICATE] = [6, 29, 46];
const FIRST_SEQUENCE_AT = 53;

/** By partition: its leader, and the leader that clients know from their last question. */
let leaders: number[];
let known: number[];
let topicId: string;
/** Whether no broker tells the leaders. */
let isAway: boolean;
let client: Base;
/** The requests so far: the broker, and its partitions. */
let requests: [node: number, partitions: number[]][];
let firstSequences: number[];
/** Answers a request to a broker; by default, with the offset 100 of each batch. */
let answer: (node: number, partitions: number[]) => ProduceAnswer[];
let writer: TopicWriter;

const accept = (partitions: number[]): ProduceAnswer[] =>
  partitions.map((partition) => ({ partition, errorCode: 0, baseOffset: 100 }));
const refuse = (partitions: number[], errorCode: number): ProduceAnswer[] =>
  partitions.map((partition) => ({ partition, errorCode, baseOffset: -1 }));

beforeEach(() => {
  [leaders, known, requests, firstSequences] = [[1, 2], [1, 2], [], []];
  topicId = 'first';
  answer = (_, partitions) => accept(partitions);
  isAway = false;
  jest.spyOn(Base.prototype, 'metadata').mockImplementation(async function (
    this: Base,
    { forceUpdate }: MetadataOptions,
  ) {
    client = this;
    if (isAway) throw new Error('No broker answers.');
    if (forceUpdate) known = leaders;
    return {
      brokers: new Map([1, 2].map((node) => [node, node])),
      topics: new Map([[TOPIC, { id: topicId, partitions: known.map((leader) => ({ leader })) }]]),
    };
  } as never);
  const send = (...given: unknown[]) => {
    const callback = given.at(-1) as (error: null, answer: object) => void;
    callback(null, { producerId: 7n, producerEpoch: 0 });
  };
  jest
    .spyOn(Base.prototype, 'connections', 'get')
    .mockReturnValue({ get: async (node: number) => ({ node, send }) } as never);
  writer = new TopicWriter({
    ...{ brokers: BROKERS, topic: TOPIC, clientId: 'test' },
    produce: async (connection, { batches }) => {
      const { node } = connection as unknown as { node: number };
      const partitions = [...batches.keys()].sort();
      requests.push([node, partitions]);
      firstSequences.push(...[...batches.values()].map((bytes) => bytes.readInt32BE(FIRST_SEQUENCE_AT)));
      return answer(node, partitions);
    },
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A record for each of two partitions. */
const RECORDS = [0, 1].map((partition) => {
  const key = ['ada', 'bob', 'cyd', 'dan', 'eve'].find((name) => partitionOfKey(name, 2) === partition) ?? '';
  return { key, value: Buffer.from(`of ${partition}`) };
});

async function send() {
  const acknowledged = await writer.send(RECORDS);
  return acknowledged
    .map(({ partition, baseOffset, records }) => [partition, baseOffset, records.length])
    .sort();
}
const BOTH = [
  [0, 100, 1],
  [1, 100, 1],
];

test('each leader gets the batches of its partitions, which are numbered on from send to send', async () => {
  expect([await send(), await send()]).toEqual([BOTH, BOTH]);
  expect(requests).toEqual([
    [1, [0]],
    [2, [1]],
    [1, [0]],
    [2, [1]],
  ]);
  expect(firstSequences).toEqual([0, 0, 1, 1]);
});

test('after the topic was made anew, a send gets another id for the producer, and numbers from 0 again', async () => {
  await send();
  topicId = 'second';
  expect(await send()).toEqual(BOTH);
  expect(firstSequences).toEqual([0, 0, 0, 0]);
});

test('after a connection was lost, a send asks for the leaders, and is of another producer', async () => {
  await send();
  leaders = [1, 1];
  client.emit('client:broker:disconnect', {} as never);
  expect(await send()).toEqual(BOTH);
  expect([requests.slice(2), firstSequences]).toEqual([[[1, [0, 1]]], [0, 0, 0, 0]]);
});

test('leaders that could not be asked for are asked for by the next send', async () => {
  answer = (_, partitions) => {
    isAway = true;
    return refuse(partitions, NOT_LEADER);
  };
  await expect(send()).rejects.toThrow('No broker answers.');
  [isAway, leaders, answer] = [false, [1, 1], (_, partitions) => accept(partitions)];
  expect(await send()).toEqual(BOTH);
  expect(requests.slice(2)).toEqual([[1, [0, 1]]]);
});

describe('a batch', () => {
  test.each<[string, (node: number, partitions: number[]) => ProduceAnswer[]]>([
    ['whose leader refuses it', (node, parts) => (node === 2 ? refuse(parts, NOT_LEADER) : accept(parts))],
    [
      'whose leader is lost',
      (node, parts) => {
        if (node === 2) throw Object.assign(new Error('The connection is lost.'), { canRetry: true });
        return accept(parts);
      },
    ],
  ])('%s goes to its next leader, and the other batch is not sent again', async (_, fail) => {
    answer = fail;
    leaders = [1, 1];
    expect(await send()).toEqual(BOTH);
    expect(requests).toEqual([
      [1, [0]],
      [2, [1]],
      [1, [1]],
    ]);
  });

  test('is not sent again to a topic that was made anew', async () => {
    answer = (_, partitions) => {
      topicId = 'second';
      return refuse(partitions, NOT_LEADER);
    };
    await expect(send()).rejects.toThrow('made anew');
    expect(requests).toHaveLength(2);
  });

  test('whose leader is not among the brokers waits for another one', async () => {
    known = [1, 9];
    expect(await send()).toEqual(BOTH);
    expect(requests).toEqual([
      [1, [0]],
      [2, [1]],
    ]);
  });

  test.each([17, -1])('that the broker has already is at the place that it tells, %d', async (baseOffset) => {
    answer = (node, partitions) =>
      node === 1 ? accept(partitions) : [{ partition: 1, errorCode: DUPLICATE, baseOffset }];
    expect(await send()).toEqual([BOTH[0], [1, baseOffset, 1]]);
    expect(requests).toHaveLength(2);
  });

  test.each<[string, (partitions: number[]) => ProduceAnswer[], string]>([
    ['that a broker does not mention', () => [], 'UNKNOWN_SERVER_ERROR'],
    ['that this process may not write', (partitions) => refuse(partitions, UNAUTHORIZED), 'the right Write'],
  ])('%s fails the send at once', async (_, fail, message) => {
    answer = (node, partitions) => (node === 1 ? accept(partitions) : fail(partitions));
    await expect(send()).rejects.toThrow(message);
    expect(requests).toHaveLength(2);
  });
});

describe('a producer of submissions', () => {
  const messages = RECORDS.map(({ key, value }) => ({ key, value }));

  test('tells no place that Kafka does not tell, and works again afterwards', async () => {
    const sending = jest.spyOn(TopicWriter.prototype, 'send');
    sending.mockImplementationOnce(async (records) => [{ partition: 0, baseOffset: -1, records }]);
    sending.mockImplementation(async (records) => [{ partition: 1, baseOffset: 8, records }]);
    const producer = await openProducer(BROKERS, TOPIC);
    const [lost, later] = await Promise.allSettled([producer.send(messages), producer.send(messages)]);
    expect(lost).toMatchObject({ reason: { message: 'Kafka does not say where topic has a batch.' } });
    expect(later).toMatchObject({
      value: [
        { partition: 1, offset: 8 },
        { partition: 1, offset: 9 },
      ],
    });
    await producer.close();
  });

  test('that cannot connect leaves no client behind', async () => {
    jest.spyOn(TopicWriter.prototype, 'connect').mockRejectedValue(new Error('no broker'));
    const close = jest.spyOn(TopicWriter.prototype, 'close');
    await expect(openProducer(BROKERS, TOPIC)).rejects.toThrow('no broker');
    expect(close).toHaveBeenCalledTimes(1);
  });
});
