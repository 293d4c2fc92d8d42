import { describe, expect, test } from '@jest/globals';
import { plaintextBrokers, readBrokers } from '../../service/brokers.ts';
import {
  readDate,
  readInteger,
  readPort,
  readRetention,
  readText,
  SettingError,
} from '../../service/environment.ts';
import { readServers } from '../../service/servers.ts';
import { readWebhookSettings } from '../../service/webhook-settings.ts';

const env = (value?: string) => ({ X: value, RETENTION_MS: value });
const refusal = (message: string) => new SettingError(message);
const BOUNDS = { min: 1, max: 10 };

test.each([
  [undefined, null],
  ['', null],
  ['  ', null],
  ['a', 'a'],
  [' a b ', 'a b'],
])('the text of %j is %j', (value, expected) => expect(readText(env(value), 'X')).toBe(expected));

test.each(['WEBHOOK_NOTICE_URL', 'WEBHOOK_PROXY'])(
  '%s holds no login, and its refusal shows none',
  (name) => {
    for (const login of ['ops:s3cret', 's3cret']) {
      expect(() => readWebhookSettings({ [name]: `http://${login}@mail.internal:3128` })).toThrow(
        refusal(`${name} holds a user or a password, which cannot be sent: leave them out.`),
      );
    }
  },
);

describe('the servers', () => {
  const both = { DATABASE_URL: 'postgres://db/x', KAFKA_BROKERS: 'a:1,b:2' };

  test('are Postgres and Kafka, with a prefix for the topics if it is set', () => {
    const servers = {
      databaseUrl: 'postgres://db/x',
      readDatabaseUrls: [],
      brokers: plaintextBrokers(['a:1', 'b:2']),
      topicPrefix: '',
      host: null,
    };
    expect(readServers(both)).toEqual(servers);
    expect(readServers({ ...both, TOPIC_PREFIX: 'blue-' })).toEqual({ ...servers, topicPrefix: 'blue-' });
  });

  test('include replicas, with the password of the database', () => {
    const READ_DATABASE_URLS = 'postgres://u@a/x, postgres://u@b:5433/x';
    expect(readServers({ ...both, READ_DATABASE_URLS, DATABASE_PASSWORD: 'p' }).readDatabaseUrls).toEqual([
      'postgres://u:p@a/x',
      'postgres://u:p@b:5433/x',
    ]);
    const read = (text: string) => () => readServers({ ...both, READ_DATABASE_URLS: text });
    expect(read('a:5432')).toThrow('READ_DATABASE_URLS is "a:…"; it must be like postgres://');
    expect(read('postgres://u@a/x,postgres://v@a:5432/x')).toThrow('READ_DATABASE_URLS names a:5432 twice.');
  });

  test.each(['DATABASE_URL', 'KAFKA_BROKERS'])('%s must be set; the message has an example', (name) => {
    expect(() => readServers({ ...both, [name]: ' ' })).toThrow(
      new RegExp(`^${name} is not set; it must be like `),
    );
  });

  test.each([
    'postgresql://u:p@h:5432/d?sslmode=verify-full',
    'postgres:///d?host=/run/postgresql',
    'postgres://u:p@/d?host=/run/postgresql',
  ])('%s is an address of Postgres', (value) => {
    expect(readServers({ ...both, DATABASE_URL: value }).databaseUrl).toBe(value);
  });

  test.each([
    ['foo', 'foo'],
    ['db:5432/x', 'db:…'],
    ['host=db password=secret', 'host=…'],
    ['postgres://u:secret', 'postgres:…'],
    ['postgres://u:se#cret@h/d', 'postgres:…'],
    ['postgres://h:99999/d', 'postgres:…'],
    ['mysql://u:secret@h/d', 'mysql:…'],
  ])('%s is not one, and is shown as %s', (value, shown) => {
    expect(() => readServers({ ...both, DATABASE_URL: value })).toThrow(
      `DATABASE_URL is "${shown}"; it must be like postgres://user:password@host:5432/database, ` +
        'with special characters of the password percent-encoded.',
    );
  });
});

describe('a whole number', () => {
  test.each([
    ['1', 1],
    ['10', 10],
    [' 7 ', 7],
    ['', null],
    [undefined, null],
  ])('%j is %j', (value, expected) => expect(readInteger(env(value), 'X', BOUNDS)).toBe(expected));

  test.each(['0', '11', '-1', '+1', '1.5', '1e1', '0x1', 'a', '1 000', '1,000', '٣', 'Infinity', 'NaN'])(
    '%j is refused',
    (value) => {
      const message = `X is "${value}"; it must be a whole number from 1 to 10.`;
      expect(() => readInteger(env(value), 'X', BOUNDS)).toThrow(refusal(message));
    },
  );
});

describe('a date', () => {
  test.each([
    ['2026-11-03', '2026-11-03'],
    ['', null],
    [undefined, null],
  ])('%j is %j', (value, expected) => expect(readDate(env(value), 'X')).toBe(expected));

  test.each(['2026-02-30', '2026-11-3', 'today', '2026-11-03T00:00Z'])('%j is refused', (value) => {
    expect(() => readDate(env(value), 'X')).toThrow(
      refusal(`X is "${value}"; it must be a date such as 2026-11-03.`),
    );
  });
});

describe('brokers', () => {
  test.each([
    ['localhost:9092', ['localhost:9092']],
    ['a:1, b.example:65535 ,[::1]:9092', ['a:1', 'b.example:65535', '[::1]:9092']],
  ])('%j are %j', (value, expected) =>
    expect(readBrokers({ KAFKA_BROKERS: value })).toEqual(plaintextBrokers(expected)),
  );

  test.each([
    'localhost',
    'a:',
    ':9092',
    'a:b',
    'a:1,',
    'a:1,,b:2',
    'a:1 b:2',
    'http://a:1',
    '::1:9092',
    'a:123456',
    'a:65536',
    'a:0',
  ])('%j are refused', (value) => {
    expect(() => readBrokers({ KAFKA_BROKERS: value })).toThrow(
      refusal(`KAFKA_BROKERS is "${value}"; it must be host:port, comma-separated.`),
    );
  });

  test('may be missing', () => expect(readBrokers({})).toBeNull());
});

describe('retention', () => {
  test.each([
    [undefined, 604_800_000],
    ['1000', 1000],
    ['31622400000', 31_622_400_000],
  ])('%j is %j milliseconds', (value, expected) => expect(readRetention(env(value))).toBe(expected));

  test.each(['999', '31622400001', '7d'])('%j is refused', (value) => {
    expect(() => readRetention(env(value))).toThrow(
      refusal(`RETENTION_MS is "${value}"; it must be a whole number from 1000 to 31622400000.`),
    );
  });
});

test.each([
  [undefined, null],
  ['0', 0],
  ['65535', 65_535],
])('the port %j is %j', (value, expected) => expect(readPort(env(value), 'X')).toBe(expected));

test.each(['65536', '-1', '80a'])('the port %j is refused', (value) => {
  expect(() => readPort(env(value), 'X')).toThrow('it must be a whole number from 0 to 65535.');
});
