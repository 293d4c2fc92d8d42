import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Connection, NetworkError } from '@platformatic/kafka';
import { GroupOffsets } from '../../../kafka/reading/group-offsets.ts';
import { readNewestRecords } from '../../../kafka/reading/newest-records.ts';
import { TopicLookup } from '../../../kafka/reading/topic-lookup.ts';
import { applyGroup, topicNames } from '../../../kafka/topic-names.ts';
import { openProducer } from '../../../kafka/writing/submissions-producer.ts';
import { createTestTopics } from '../../helpers/kafka/topics.ts';

/** By Kafka's number of a request: its newest version in Kafka 3.1. */
const KNOWN = new Map([
  [0, 9],
  [2, 7],
  [3, 12],
  [8, 8],
  [9, 8],
  [10, 4],
  [22, 4],
]);

beforeEach(() => {
  const { send } = Connection.prototype;
  type Send = (request: number, version: number, ...rest: unknown[]) => void;
  function sendOrHangUp(this: Connection, request: number, version: number, ...rest: unknown[]): void {
    const callback = rest.at(-1) as (error: Error) => void;
    // Each broker is asked for its version of other requests.
    if (version <= (KNOWN.get(request) ?? version)) (send as Send).call(this, request, version, ...rest);
    else callback(new NetworkError('Connection closed'));
  }
  jest.spyOn(Connection.prototype, 'send').mockImplementation(sendOrHangUp as typeof send);
});
afterEach(() => {
  jest.restoreAllMocks();
});

test('brokers of an older version, which hang up on newer requests, answer during an upgrade of the cluster', async () => {
  const { brokers, prefix } = await createTestTopics({ partitions: 1 });
  const topic = topicNames(prefix).submissions;
  const producer = await openProducer(brokers, topic);
  const lookup = new TopicLookup({ brokers, topic, clientId: 'test' });
  const group = new GroupOffsets({ brokers, groupId: applyGroup(prefix), topic });
  try {
    await producer.send([{ key: 'k', value: Buffer.from('v') }]);
    const { topicId } = await lookup.identify();
    expect((await lookup.bounds()).map(({ start, end }) => [start, end])).toContainEqual([0, 1]);
    await group.commit(new Map([[0, 1]]), topicId);
    expect(await group.load()).toEqual(new Map([[0, 1]]));
    expect(await readNewestRecords({ brokers, topic })).toHaveLength(1);
  } finally {
    await Promise.all([producer.close(), lookup.close(), group.close()]);
  }
});
