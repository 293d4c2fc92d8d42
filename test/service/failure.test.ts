import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createKafkaClient } from '../../kafka/connection/client.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { type Brokers, plaintextBrokers } from '../../service/brokers.ts';
import { classifyFailure, KafkaUnavailableError, SupersededError } from '../../service/failure.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { createReadPool, noRow, sql } from '../../store/connection/read-pool.ts';
import { WATCHFUL_SESSION } from '../../store/connection/session.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { listen } from '../helpers/servers/listen.ts';
import { testServers } from '../helpers/servers/servers.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { metricValue } from '../helpers/service/metrics.ts';

const database = useTestDatabase();
let way: TcpProxy;
let closedPort: number;

beforeAll(async () => {
  way = await TcpProxy.open(database.url);
  closedPort = await findFreePort();
});
afterAll(() => way.close());

/** The error of a failing action. */
async function errorOf(action: () => Promise<unknown>): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

async function withPool<T>(
  url: string,
  work: (pool: Awaited<ReturnType<typeof createReadPool>>) => Promise<T>,
): Promise<T> {
  const limits = { maxConnections: 2, connectionTimeoutMs: 1000, statementTimeoutMs: 500 };
  const pool = await createReadPool({ databaseUrl: url, ...limits });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

const query = (pool: Awaited<ReturnType<typeof createReadPool>>, statement = sql.fragment`SELECT`) =>
  pool.query(sql.type(noRow)`${statement}`);
const at = (port: number) => `postgres://user:secret@127.0.0.1:${port}/none`;
const withClient = async (url: string, work: (client: pg.Client) => Promise<unknown>) => {
  const client = new pg.Client({ connectionString: url, ...WATCHFUL_SESSION, query_timeout: 300 });
  client.on('error', () => {});
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
};

describe('the database is away', () => {
  const testAway = (name: string, fail: () => Promise<unknown>) =>
    test(`if ${name}`, async () => {
      const error = await errorOf(fail);
      expect([classifyFailure(error), error]).toEqual(['database_away', error]);
      way.mend();
    });

  testAway('its port is closed, by slonik', () => withPool(at(closedPort), (pool) => query(pool)));
  testAway('its port is closed, by pg', () => withClient(at(closedPort), async () => {}));
  testAway('its name is unknown', () => withClient('postgres://a@nowhere.invalid/b', async () => {}));
  testAway('it refuses the user', () =>
    withClient(database.url.replace(/\/\/[^@/]*@/, '//nobody:x@'), async () => {}),
  );
  testAway('it has no such database', () => withClient(`${database.url}-gone`, async () => {}));
  testAway('a statement takes too long', () =>
    withPool(database.url, (pool) => query(pool, sql.fragment`SELECT pg_sleep(5)`)),
  );
  testAway('pg waits in vain for an answer', () =>
    withClient(database.url, (client) => client.query('SELECT pg_sleep(5)')),
  );
  testAway('an operator ends the session', () =>
    withPool(database.url, (pool) =>
      query(pool, sql.fragment`SELECT pg_terminate_backend(pg_backend_pid())`),
    ),
  );
  testAway('the connection is cut during a query', () =>
    withClient(way.url, async (client) => {
      const asked = client.query('SELECT pg_sleep(0.2)');
      way.sever();
      await asked;
    }),
  );
  testAway('its pool has ended', () =>
    withPool(database.url, async (pool) => {
      await pool.end();
      await query(pool);
    }),
  );

  test.each(['57P01', '08006', '53300', '53100', '40P01', '55P03', '25006'])(
    'if its SQLSTATE is %s',
    (code) => {
      expect(classifyFailure(new Error('a query failed', { cause: { code } }))).toBe('database_away');
    },
  );
});

const readerAt = (brokers: Brokers, topic: string) => new TopicReader({ brokers, topic, clientId: 'test' });

describe('Kafka is away', () => {
  const read = async (brokers: Brokers, topic: string) => {
    const reader = readerAt(brokers, topic);
    try {
      await reader.sources();
    } finally {
      await reader.close();
    }
  };
  const brokers = () => testServers().brokers;
  const send = async (addressed: Brokers, topic: string) => {
    const kafka = createKafkaClient({ brokers: addressed, clientId: 'test', retries: 0 });
    const producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 } });
    try {
      await producer.connect();
      await producer.send({ topic, messages: [{ value: 'x' }] });
    } finally {
      await producer.disconnect();
    }
  };

  test.each<[string, () => Promise<unknown>]>([
    ['no broker listens, by the reader', () => read(plaintextBrokers([`127.0.0.1:${closedPort}`]), 'any')],
    ['no broker listens, by the producer', () => send(plaintextBrokers([`127.0.0.1:${closedPort}`]), 'any')],
    ['the topic does not exist, by the reader', () => read(brokers(), 'test-no-such-topic')],
    ['the topic does not exist, by the producer', () => send(brokers(), 'test-no-such-topic')],
    [
      'a broker hangs up',
      async () => {
        const server = createServer((socket) => socket.destroy());
        const port = await listen(server);
        try {
          await read(plaintextBrokers([`127.0.0.1:${port}`]), 'any');
        } finally {
          server.close();
        }
      },
    ],
  ])('if %s', async (_, fail) => {
    const error = await errorOf(fail);
    expect([classifyFailure(error), error]).toEqual(['kafka_away', error]);
  });

  test('if kafkajs asks a broker whose connection has never answered', async () => {
    const Broker = createRequire(import.meta.url)('kafkajs/src/broker');
    const broker = new Broker({
      connectionPool: { connectionTimeout: 1 },
      logger: { namespace: () => null },
    });
    const error = await errorOf(() => broker.metadata([]));
    expect([classifyFailure(error), error]).toEqual(['kafka_away', error]);
  });

  test('if a broker does not serve a partition', () => {
    expect(classifyFailure(new KafkaUnavailableError('NOT_LEADER_OR_FOLLOWER'))).toBe('kafka_away');
  });
});

describe('any other error is a defect', () => {
  test.each<[string, unknown]>([
    ['a TypeError', new TypeError('Cannot read properties of undefined')],
    [
      'a TypeError whose message sounds like an outage',
      new TypeError('the connection timeout is not a number'),
    ],
    ['a RangeError', new RangeError('Invalid array length')],
    ['an error without a code', new Error('The table stream_head has no row.')],
    ['an unknown SQLSTATE', Object.assign(new Error('no such column'), { code: '42703' })],
    ['a code of five letters', Object.assign(new Error('odd'), { code: 'EABCD' })],
    ['undefined', undefined],
    ['a text', 'ECONNREFUSED'],
    [
      'errors that cause each other',
      (() => {
        const error = new Error('a');
        error.cause = new Error('b', { cause: error });
        return error;
      })(),
    ],
  ])('%s', (_, error) => {
    expect(classifyFailure(error)).toBe('defect');
  });

  test('a query of a table that does not exist', async () => {
    const error = await errorOf(() =>
      withPool(database.url, (pool) => query(pool, sql.fragment`SELECT FROM nowhere`)),
    );
    expect(classifyFailure(error)).toBe('defect');
  });

  test('a row of the wrong form', async () => {
    const { z } = await import('zod');
    const row = z.object({ answer: z.string() });
    const fail = () => withPool(database.url, (pool) => pool.one(sql.type(row)`SELECT 1 AS answer`));
    expect(classifyFailure(await errorOf(fail))).toBe('defect');
  });

  test('several errors of the Kafka client without an outage', () => {
    const error = Object.assign(new AggregateError([new TypeError('x is not a function')], 'several'), {
      code: 'PLT_KFK_MULTIPLE',
    });
    expect(classifyFailure(error)).toBe('defect');
  });
});

test('work that another process has taken over is superseded', () => {
  expect(classifyFailure(new SupersededError('The epoch 1 of the stream has ended.'))).toBe('superseded');
});

describe('a reported failure', () => {
  const report = { where: 'feed', message: 'the work failed', fields: { node: 1 } } as const;

  test('is logged as an error and counted if it is a defect, even if it is quiet', async () => {
    const { log, lines } = captureLog('warn');
    const before = await metricValue('defects_total', { where: 'feed' });
    expect(reportFailure(log, new TypeError('broken'), { ...report, quiet: true })).toBe('defect');
    expect(lines).toEqual([expect.objectContaining({ level: 'error', node: 1, where: 'feed' })]);
    expect(lines[0].msg).toBe('the work failed (a defect of the service)');
    expect(lines[0].error.stack).toContain('TypeError: broken');
    expect(await metricValue('defects_total', { where: 'feed' })).toBe(before + 1);
  });

  test('is only a warning if it is an outage, and silent if that was logged before', async () => {
    const { log, lines } = captureLog('warn');
    const before = await metricValue('defects_total', { where: 'feed' });
    reportFailure(log, new KafkaUnavailableError('away'), report);
    reportFailure(log, new KafkaUnavailableError('away'), { ...report, quiet: true });
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['warn', 'the work failed (Kafka does not answer)'],
    ]);
    expect(await metricValue('defects_total', { where: 'feed' })).toBe(before);
  });

  test('is logged once within ten minutes if only an operator can end it', () => {
    const { log, lines } = captureLog('warn');
    const refusal = new KafkaUnavailableError('refused', { cause: new OperatorError('Correct KAFKA_USER.') });
    for (const quiet of [false, true, true]) reportFailure(log, refusal, { ...report, quiet });
    expect(lines.map(({ msg }) => msg)).toEqual(['the work failed (Correct KAFKA_USER)']);
  });

  test.each([
    [
      { code: '3D000', message: 'database "none" does not exist' },
      'Postgres has no such database (database "none" does not exist): create it, or name another in DATABASE_URL',
    ],
    [
      { code: '25006', message: 'cannot execute INSERT in a read-only transaction' },
      'Postgres is a replica or read-only (cannot execute INSERT in a read-only transaction): name the primary in DATABASE_URL',
    ],
    [
      { code: '42P01', message: 'relation "plans" does not exist' },
      'Postgres lacks the schema of this version (relation "plans" does not exist): run "npm run ops -- migrate"',
    ],
    [
      { code: 'PLT_KFK_USER', message: 'Unknown topic blue-changes.' },
      'There is no topic blue-changes: "npm run ops -- topics apply" creates it, unless TOPIC_PREFIX is wrong',
    ],
  ])('says what an operator has to do: %j', ({ code, message }, reason) => {
    const { log, lines } = captureLog('warn');
    reportFailure(log, Object.assign(new Error(message), { code }), report);
    expect(lines[0].msg).toBe(`the work failed (${reason})`);
  });

  test('is classified once and explained once', () => {
    // The log would look at the error too.
    const { log } = captureLog('error');
    let looks = 0;
    const error = Object.defineProperty(new Error('the work failed'), 'cause', {
      get: () => {
        looks += 1;
        return new KafkaUnavailableError('away');
      },
    });
    expect(reportFailure(log, error, report)).toBe('kafka_away');
    expect(looks).toBe(2);
  });
});
