/*
 * A broker stops in order, as in a rolling restart, while a client reads older changes.
 */
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { CHUNK_CHANGES } from '../../feed/chunk-cache.ts';
import { Replay } from '../../feed/replay.ts';
import { UnreadableBatches } from '../../feed/unreadable-batches.ts';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { createLog } from '../../service/log.ts';
import { createTopic } from '../helpers/kafka/topics.ts';
import { startTwoBrokers, type TwoBrokers } from '../helpers/kafka/two-brokers.ts';
import { securedTest as test } from '../helpers/servers/secured-test.ts';
import { writeChanges } from '../helpers/stream/write-changes.ts';
import { until } from '../helpers/until.ts';

const TOPIC = 'changes';
const CHUNKS = 10;
const LATEST = CHUNKS * CHUNK_CHANGES;
/** Nothing is read ahead of the first chunk. */
const STREAM = { epoch: 1, foreignUpTo: -1, latest: CHUNK_CHANGES };

let cluster: TwoBrokers;
let replay: Replay;

beforeAll(async () => {
  cluster = await startTwoBrokers();
  const { brokers } = cluster;
  // Each broker leads one partition, and has a copy of the other.
  const replicaAssignment = [
    { partition: 0, replicas: [1, 2] },
    { partition: 1, replicas: [2, 1] },
  ];
  await withAdmin(brokers, (admin) => createTopic(admin, { topic: TOPIC, replicaAssignment }));
  const partitionOf = (sequence: number) => sequence % 2;
  // A batch comes whole, so several are needed for a second fetch.
  await writeChanges({ brokers, topic: TOPIC, epoch: STREAM.epoch, count: LATEST, atOnce: 200, partitionOf });
  const log = createLog('test', 'silent');
  replay = new Replay({
    brokers,
    topic: TOPIC,
    expectedId: () => null,
    cacheBytes: 1,
    changeLog: {
      load: async () => [],
      findFirst: async () => null,
      locate: async () => null,
      reportFilled: () => {},
    },
    unreadable: new UnreadableBatches(TOPIC, log),
    log,
  });
});
afterAll(async () => {
  await replay?.close();
  await cluster?.stop();
});

test('the other broker is read at once, and the client notices nothing', async () => {
  const first = await replay.read({ sequence: 0, time: 0, offsets: [] }, STREAM, 1);
  const follower = new TopicReader({ brokers: cluster.brokers, topic: TOPIC, clientId: 'follower' });
  expect(await follower.sources()).toEqual([1, 2]);
  await cluster.second.stop();
  await withAdmin(cluster.first.brokers, (admin) =>
    until('the first broker leads both partitions', async () => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [TOPIC] });
      return topics[0]?.partitions.every(({ leader }) => leader === 1) ?? false;
    }),
  );

  const limits = { maxWaitMs: 0, partitionMaxBytes: 1 };
  await expect(follower.fetch(2, new Map([[1, 0]]), limits)).rejects.toThrow();
  expect(await follower.sources()).toEqual([1, 1]);
  await follower.close();

  const fetch = jest.spyOn(TopicReader.prototype, 'fetch');
  let { resumePoint } = first;
  const sequences = first.events.map(({ sequence }) => sequence);
  while (resumePoint.sequence < LATEST) {
    const chunk = await replay.read(resumePoint, STREAM, 1);
    sequences.push(...chunk.events.map(({ sequence }) => sequence));
    resumePoint = chunk.resumePoint;
  }
  expect(sequences).toEqual(Array.from({ length: LATEST }, (_, index) => index + 1));

  const fetched = await Promise.allSettled(fetch.mock.results.map(({ value }) => value));
  fetch.mockRestore();
  expect(fetched.map(({ status }) => status)).toContain('rejected');
});
