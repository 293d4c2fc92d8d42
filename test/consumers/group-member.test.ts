import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Admin, AssignerProtocol, type EachBatchHandler, type PartitionAssigner } from 'kafkajs';
import { createKafkaClient } from '../../kafka/client.ts';
import { GroupMember } from '../../kafka/group-member.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { createLog } from '../../service/log.ts';
import { createHushedKafka } from '../helpers/hushed-kafka.ts';
import { testServers } from '../helpers/servers.ts';
import { createTestTopics } from '../helpers/topics.ts';
import { until } from '../helpers/until.ts';

const log = createLog('consumers', 'silent');
const kafka = createKafkaClient({ brokers: testServers().brokers, clientId: 'test' });
/** Other members look often at what they are to do. */
const IMPATIENT = { maxWaitTimeInMs: 50, heartbeatInterval: 200 };

const ignore = async () => {};

let admin: Admin;
let topic: string;
let groupId: string;

beforeAll(async () => {
  admin = kafka.admin();
  await admin.connect();
  topic = topicNames((await createTestTopics({ partitions: 3 })).prefix).submissions;
});
afterAll(() => admin.disconnect());
beforeEach(() => {
  groupId = randomUUID();
});

async function describeGroup(): Promise<{ state: string; members: number }> {
  const { groups } = await admin.describeGroups([groupId]);
  return { state: groups[0]?.state ?? '', members: groups[0]?.members.length ?? 0 };
}

/** An assigner by a name that no other member knows, so that the group refuses them while its own is there. */
const strangeAssigner: PartitionAssigner = () => ({
  name: 'strange',
  version: 0,
  assign: async ({ members }) =>
    members.map(({ memberId }) => ({
      memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version: 0,
        assignment: { [topic]: [0] },
        userData: Buffer.alloc(0),
      }),
    })),
  protocol: ({ topics }) => ({
    name: 'strange',
    metadata: AssignerProtocol.MemberMetadata.encode({ version: 0, topics, userData: Buffer.alloc(0) }),
  }),
});

test('a member that was refused for good in the eyes of kafkajs joins once it may', async () => {
  const stranger = kafka.consumer({ groupId, ...IMPATIENT, partitionAssigners: [strangeAssigner] });
  await stranger.connect();
  await stranger.subscribe({ topic });
  let strangerJoined = false;
  stranger.on(stranger.events.GROUP_JOIN, () => {
    strangerJoined = true;
  });
  await stranger.run({ eachBatch: ignore });
  await until('a stranger has joined', () => strangerJoined);
  const member = new GroupMember(kafka, groupId);
  const { consumer } = member;
  const refusals: string[] = [];
  let joined = false;
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    refusals.push(`${payload.error.message} ${payload.restart}`);
  });
  consumer.on(consumer.events.GROUP_JOIN, () => {
    joined = true;
  });
  await consumer.connect();
  await consumer.subscribe({ topic });

  await member.start({ eachBatch: ignore }, log);
  await until('it is refused a second time', () => refusals.length > 1);
  expect(refusals[0]).toMatch(/protocol.* false$/);
  expect([joined, member.isMember]).toEqual([false, false]);
  await stranger.disconnect();
  await until('it has joined', () => joined);
  expect(member.isMember).toBe(true);

  await member.stop();
  expect(member.isMember).toBe(false);
  await until('nobody is left', async () => (await describeGroup()).members === 0);
}, 30_000);

test('a member that is stopped while it joins is not in the group afterwards', async () => {
  // A member at work keeps the others from joining until its work is done.
  let release: () => void = () => {};
  const worked = new Promise<void>((resolve) => {
    release = resolve;
  });
  let atWork = false;
  const eachBatch: EachBatchHandler = () => {
    atWork = true;
    return worked;
  };
  const busy = kafka.consumer({ groupId, ...IMPATIENT, sessionTimeout: 30_000 });
  await busy.connect();
  await busy.subscribe({ topic, fromBeginning: true });
  await busy.run({ eachBatch });
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ value: 'work' }] });
  await producer.disconnect();
  await until('a member is at work', () => atWork);

  const member = new GroupMember(kafka, groupId);
  await member.consumer.connect();
  await member.consumer.subscribe({ topic });
  const happened: string[] = [];
  member.consumer.on(member.consumer.events.GROUP_JOIN, () => {
    happened.push('joined');
  });
  const started = member.start({ eachBatch: ignore }, log);
  await until('another one joins', async () => (await describeGroup()).state === 'PreparingRebalance');
  const stopped = member.stop().then(() => happened.push('left'));
  release();
  await Promise.all([started, stopped]);

  expect(happened).toEqual(['joined', 'left']);
  await until('only the other one is left', async () => {
    const { state, members } = await describeGroup();
    return state === 'Stable' && members === 1;
  });
  await busy.disconnect();
}, 60_000);

test('a member that nobody answers takes itself for none once its group must have put it out', async () => {
  const way = createHushedKafka(testServers().brokers);
  const member = new GroupMember(way.kafka, groupId);
  await member.consumer.connect();
  await member.consumer.subscribe({ topic });
  await member.start({ eachBatch: ignore }, log);
  await until('it is a member', () => member.isMember);

  way.hush();
  await until('it is none', () => !member.isMember, 10_000);

  way.mend();
  await until('it is one again', () => member.isMember);
  await member.stop();
}, 60_000);
