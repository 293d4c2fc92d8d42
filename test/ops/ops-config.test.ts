import { expect, test } from '@jest/globals';
import { createConfig, createTopicConfig } from '../../ops/config.ts';

const SERVERS = { DATABASE_URL: 'postgres://u:p@host/d', KAFKA_BROKERS: 'a:1,b:2' };

test('both servers and the topics come from the settings, with 12 partitions and no prefix by default', () => {
  expect(createConfig(SERVERS)).toMatchObject({
    ...{ databaseUrl: SERVERS.DATABASE_URL, brokers: { addresses: ['a:1', 'b:2'] } },
    ...{ topicPrefix: '', changesPartitions: 12 },
  });
  expect(createTopicConfig({ TOPIC_PREFIX: 'blue-', CHANGES_PARTITIONS: '1' })).toMatchObject({
    ...{ topicPrefix: 'blue-', changesPartitions: 1 },
  });
});

test.each(['DATABASE_URL', 'KAFKA_BROKERS'])(
  'without %s the sentence says how to name the server',
  (name) => {
    expect(() => createConfig({ ...SERVERS, [name]: undefined })).toThrow(
      `${name} is not set and no service runs on this DATA_DIR: start one with "npm start", set the DATA_DIR that it was ` +
        `started with, or set ${name}.`,
    );
  },
);

test.each(['0', '101', '1.5', 'x'])('%s partitions are refused', (count) => {
  expect(() => createTopicConfig({ CHANGES_PARTITIONS: count })).toThrow(`CHANGES_PARTITIONS is "${count}"`);
});
