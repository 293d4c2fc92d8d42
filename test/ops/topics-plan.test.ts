import { expect, test } from '@jest/globals';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { UnfinishedError } from '../../ops/command.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { alterTopic, chooseTopicPrefix, createTopic } from '../helpers/kafka/topics.ts';
import { testServers } from '../helpers/servers/servers.ts';

const { brokers } = testServers();
const run = createRunner('topics');

/** Runs a subcommand. @returns its lines, and its final error */
async function topics(prefix: string, subcommand: string, partitions = 2) {
  const io = createIo({
    KAFKA_BROKERS: brokers.addresses.join(','),
    TOPIC_PREFIX: prefix,
    CHANGES_PARTITIONS: String(partitions),
    RETENTION_MS: '60000',
  });
  const error = await run([subcommand], io).then(
    () => null,
    (thrown: Error) => thrown,
  );
  return { lines: io.printed, error };
}

test('a plan of missing topics shows their settings, and changes nothing', async () => {
  const prefix = chooseTopicPrefix();
  const names = Object.values(topicNames(prefix));
  for (let time = 0; time < 2; time += 1) {
    const { lines, error } = await topics(prefix, 'plan');
    expect(lines.filter((line) => !line.startsWith(' '))).toEqual(
      names.map((name, index) => `create ${name}: ${[12, 3, 2][index]} partitions, replication factor 1`),
    );
    expect(lines).toContain('  cleanup.policy=compact,delete');
    expect(error).toBeInstanceOf(UnfinishedError);
    expect(error?.message).toBe('"npm run ops -- topics apply" makes these 3 changes.');
  }
});

test('a check prints each problem as a result, and fails', async () => {
  const prefix = chooseTopicPrefix();
  const { lines, error } = await topics(prefix, 'check');
  expect(lines).toEqual(Object.values(topicNames(prefix)).map((name) => `${name} is missing`));
  expect(error?.message).toContain('Run "npm run ops -- topics apply"');
});

test('a plan names each change with its old and new value, and apply makes exactly these changes', async () => {
  const prefix = chooseTopicPrefix();
  const { submissions, changes } = topicNames(prefix);
  await topics(prefix, 'apply');
  expect(await topics(prefix, 'plan')).toEqual({
    lines: ['The topics have the right settings.'],
    error: null,
  });
  const altered = {
    'retention.ms': '1000',
    'min.insync.replicas': '1',
    'cleanup.policy': 'delete',
    'message.timestamp.type': 'LogAppendTime',
  };
  await withAdmin(brokers, (admin) => alterTopic(admin, submissions, altered));
  const expected = [
    `set retention.ms on ${submissions}: 1000 -> 604800000`,
    `grow ${changes}: 2 -> 5 partitions`,
  ];
  const { lines, error } = await topics(prefix, 'plan', 5);
  expect(lines).toEqual(expected);
  expect(error).toBeInstanceOf(UnfinishedError);
  expect((await topics(prefix, 'apply', 5)).lines).toHaveLength(2);
  expect((await topics(prefix, 'plan', 5)).error).toBeNull();
});

test('a difference that apply cannot correct is reported, with the exit status 1', async () => {
  const prefix = chooseTopicPrefix();
  const { changes } = topicNames(prefix);
  await withAdmin(brokers, (admin) => createTopic(admin, { topic: changes, numPartitions: 101 }));
  await topics(prefix, 'apply');
  const { lines, error } = await topics(prefix, 'plan');
  expect(lines.find((line) => line.startsWith('refused: '))).toContain('has 101 partitions');
  expect(error).not.toBeInstanceOf(UnfinishedError);
  expect(error?.message).toMatch(/^"topics apply" cannot correct 1 of these \d differences\.$/);
});
