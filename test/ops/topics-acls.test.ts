import { expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';

const run = createRunner('topics');

async function acls(...args: string[]): Promise<string[]> {
  const io = createIo({ TOPIC_PREFIX: 'blue-' });
  await run(['acls', ...args], io);
  return io.printed;
}

test('a line of kafka-acls for each role and resource, with the prefix of the topics', async () => {
  const lines = await acls('--role', 'gateway', 'relay', '--user', 'gateway=CN=gate way,O=Ballot');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe(
    'kafka-acls --bootstrap-server "$KAFKA_BROKERS" --command-config admin.properties --add ' +
      `--allow-principal 'User:CN=gate way,O=Ballot' --operation Read --topic blue-endorsement-changes`,
  );
  expect(lines.at(-1)).toContain(
    '--allow-principal User:ballot-relay --operation Write --operation Read --operation DescribeConfigs --topic',
  );
});

test('without the console, a gateway may only read the changes', async () => {
  expect(await acls('--role', 'gateway', '--without-console')).toHaveLength(2);
});

test('a KafkaUser of Strimzi for each role, with all rights on a resource together', async () => {
  const lines = await acls('--format', 'strimzi', '--cluster', 'ours', '--authentication', 'tls');
  const users = parseAllDocuments(lines.join('\n')).map((document) => document.toJS());
  expect(users.map(({ metadata }) => metadata.name)).toEqual(
    ['gateway', 'apply', 'relay', 'deliver', 'ops', 'producer'].map((role) => `ballot-${role}`),
  );
  expect(users[2]).toEqual({
    apiVersion: 'kafka.strimzi.io/v1',
    kind: 'KafkaUser',
    metadata: { name: 'ballot-relay', labels: { 'strimzi.io/cluster': 'ours' } },
    spec: {
      authentication: { type: 'tls' },
      authorization: {
        type: 'simple',
        acls: [
          {
            resource: { type: 'topic', name: 'blue-endorsement-changes', patternType: 'literal' },
            operations: ['Write', 'Read', 'DescribeConfigs'],
          },
        ],
      },
    },
  });
});

test('a table of the least rights of every role', async () => {
  const io = createIo({});
  await run(['acls', '--format', 'table'], io);
  expect(io.printed.flatMap((text) => text.split('\n'))).toEqual([
    '| role | right | on | for |',
    '| --- | --- | --- | --- |',
    '| gateway | Read | topic `endorsement-changes` | the stream |',
    "| gateway | Read | topic `endorsement-submissions-rejected` | the page of rejected submissions (only for the console's pages for operators) |",
    '| gateway | Write | topic `endorsement-submissions` | publishing over HTTP; in the console, lag and sending rejected submissions again |',
    '| apply | Read | topic `endorsement-submissions` | applies submissions |',
    '| apply | Write | topic `endorsement-submissions-rejected` | sends rejections |',
    '| apply | Read | topic `endorsement-changes` | compares the history of the stream |',
    '| apply | Read | group `endorsement-apply` | commits its offsets for lag tools |',
    '| relay | Write | topic `endorsement-changes` | relays changes |',
    '| relay | Read | topic `endorsement-changes` | compares the history of the stream |',
    '| relay | DescribeConfigs | topic `endorsement-changes` | watches the settings that keep events |',
    '| deliver | Read | topic `endorsement-changes` | delivers to webhooks |',
    '| ops | Create | topic `endorsement-submissions` | `topics apply` creates the topic |',
    '| ops | Alter | topic `endorsement-submissions` | `topics apply` adds partitions |',
    '| ops | AlterConfigs | topic `endorsement-submissions` | `topics` reads and corrects settings |',
    '| ops | Create | topic `endorsement-submissions-rejected` | `topics apply` creates the topic |',
    '| ops | Alter | topic `endorsement-submissions-rejected` | `topics apply` adds partitions |',
    '| ops | AlterConfigs | topic `endorsement-submissions-rejected` | `topics` reads and corrects settings |',
    '| ops | Create | topic `endorsement-changes` | `topics apply` creates the topic |',
    '| ops | Alter | topic `endorsement-changes` | `topics apply` adds partitions |',
    '| ops | AlterConfigs | topic `endorsement-changes` | `topics` reads and corrects settings |',
    '| ops | Read | topic `endorsement-submissions` | `submissions skip` |',
    '| ops | Write | topic `endorsement-submissions` | `submit`, `rejected retry` |',
    '| ops | Read | topic `endorsement-submissions-rejected` | `rejected`, `submit --wait` |',
    '| ops | Read | topic `endorsement-changes` | `stream check` |',
    '| ops | Write | topic `endorsement-changes` | `stream repair` |',
    '| producer | Write | topic `endorsement-submissions` | sends submissions |',
  ]);
});

test('a user without a role is refused', async () => {
  await expect(acls('--user', 'gate=x')).rejects.toThrow(
    '--user is "gate=x"; it must be like gateway=NAME, for one of',
  );
});
