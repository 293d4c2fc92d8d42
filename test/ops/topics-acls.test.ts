import { readFile } from 'node:fs/promises';
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
  expect(await acls('--role', 'gateway', '--without-console')).toHaveLength(1);
});

test('a KafkaUser of Strimzi for each role, with all rights on a resource together', async () => {
  const lines = await acls('--format', 'strimzi', '--cluster', 'ours', '--authentication', 'tls');
  const users = parseAllDocuments(lines.join('\n')).map((document) => document.toJS());
  expect(users.map(({ metadata }) => metadata.name)).toEqual(
    ['gateway', 'apply', 'relay', 'ops', 'producer'].map((role) => `ballot-${role}`),
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

test("the table in the documentation matches the command's", async () => {
  const io = createIo({});
  await run(['acls', '--format', 'table'], io);
  const squeeze = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
  const documented = squeeze(await readFile('docs/deployment.md', 'utf8'));
  expect(documented).toContain(io.printed.join('\n'));
});

test('a user without a role is refused', async () => {
  await expect(acls('--user', 'gate=x')).rejects.toThrow(
    '--user is "gate=x"; it must be like gateway=NAME, for one of',
  );
});
