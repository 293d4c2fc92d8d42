import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import { createStartConfig } from '../../../ops/local/start-config.ts';
import { plaintextBrokers } from '../../../service/brokers.ts';
import { createFolder } from '../../helpers/folder.ts';

test('without variables, everything runs here, with demo data', () => {
  expect(createStartConfig({}, [])).toEqual({
    port: 8080,
    host: '127.0.0.1',
    metricsPort: null,
    gatewayProcesses: 1,
    dataDir: path.resolve('.data'),
    databaseUrl: null,
    brokers: null,
    demo: true,
    today: null,
    publicUrl: null,
    hasConsole: true,
    serversOnly: false,
    topicPrefix: '',
    retentionMs: 7 * 24 * 3_600_000,
    changesPartitions: 12,
  });
});

test('variables are used; an empty one counts as missing', () => {
  const env = {
    PORT: '9000',
    METRICS_PORT: '',
    DATABASE_URL: 'postgres://db/x',
    KAFKA_BROKERS: 'one:9092, two:9092',
    DEMO: '0',
    TODAY: '2024-02-29',
    RETENTION_MS: '60000',
  };
  expect(createStartConfig(env, [])).toMatchObject({
    port: 9000,
    metricsPort: null,
    databaseUrl: 'postgres://db/x',
    brokers: plaintextBrokers(['one:9092', 'two:9092']),
    demo: false,
    today: '2024-02-29',
    retentionMs: 60_000,
  });
});

test('a METRICS_PORT of 0 asks for a free port', () => {
  expect(createStartConfig({ METRICS_PORT: '0' }, []).metricsPort).toBeNull();
});

test.each([
  ['PORT', 'abc'],
  ['PORT', '0'],
  ['PORT', '70000'],
  ['PORT', '80.5'],
  ['METRICS_PORT', '8080'],
  ['DEMO', 'false'],
  ['TODAY', '2026-02-30'],
  ['TODAY', 'tomorrow'],
  ['RETENTION_MS', '-5'],
  ['STREAM_LIFETIME_MS', '1h'],
  ['STREAM_LIFETIME_MS', '500'],
  ['STREAM_HEARTBEAT_MS', '0'],
  ['STREAM_HEARTBEAT_MS', '90000'],
  ['DRAIN_MS', '-1'],
  ['DRAIN_MS', '20001'],
  ['FEED_MEMORY_MB', 'x'],
  ['ROLES', 'aply'],
  ['LOG_LEVEL', 'loud'],
  ['TOPIC_PREFIX', 'blue green-'],
  ['TOPIC_PREFIX', 'x'.repeat(201)],
  ['CHANGES_PARTITIONS', '0'],
  ['CHANGES_PARTITIONS', '101'],
  ['KAFKA_BROKERS', 'localhost'],
  ['DATA_DIR', "/Ann's $data"],
  ['DATA_DIR', "/Ann's `data`"],
])('%s=%s is refused in one sentence that names it', (name, value) => {
  expect(() => createStartConfig({ [name]: value }, [])).toThrow(
    expect.objectContaining({
      name: expect.stringMatching(/^(Operator|Setting)Error$/),
      message: expect.stringMatching(new RegExp(`^[^\\n]*${name}[^\\n]*\\.$`)),
    }),
  );
});

const servers = { DATABASE_URL: 'postgres://db/x', KAFKA_BROKERS: 'one:9092' };

test('--servers-only is the only argument', () => {
  expect(createStartConfig({}, ['--servers-only']).serversOnly).toBe(true);
});

test.each([
  ['another option', {}, ['--server-only'], 'Unknown argument "--server-only"'],
  ['a word beside it', {}, ['--servers-only', 'now'], 'Unknown argument "now"'],
  ['an option that npm kept', { npm_config_servers_only: 'true' }, [], '"npm start -- --servers-only"'],
  ['--servers-only without a server to start', servers, ['--servers-only'], 'has nothing to start'],
])('%s is refused in one sentence', (_, env, args, part) => {
  expect(() => createStartConfig(env, args)).toThrow(
    expect.objectContaining({
      name: 'OperatorError',
      message: expect.stringMatching(/^[^\n]*\.$/),
    }),
  );
  expect(() => createStartConfig(env, args)).toThrow(part);
});

test("reads the service's address, and whether to serve the console", () => {
  const env = { PUBLIC_URL: 'https://ballots.example.org/', CONSOLE: '0' };
  expect(createStartConfig(env, [])).toMatchObject({
    publicUrl: 'https://ballots.example.org',
    hasConsole: false,
  });
});

test('a port that is to be that of metrics of a further process is refused before anything starts', async () => {
  const port = await findFreePort();
  const data = await createFolder({});
  const { stderr, status } = spawnSync(process.execPath, ['ops/local/start.ts'], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: data.dir,
      // Without this refusal, the next one is that of the database.
      ...{ DATABASE_URL: 'postgres://127.0.0.1:1/none', KAFKA_BROKERS: '127.0.0.1:1' },
      ...{ PORT: String(port), METRICS_PORT: String(port - 1), GATEWAY_PROCESSES: '2' },
    },
    encoding: 'utf8',
  });
  await data.remove();
  expect(stderr).toMatch(/^Port \d+ is taken[^\n]*: set METRICS_PORT [^\n]*\n$/);
  expect(status).toBe(1);
});
