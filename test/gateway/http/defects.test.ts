/** A defect in any part of a request or a stream is answered, logged with the request's id and counted. */
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { FeedReader } from '../../../feed/reader.ts';
import { Authenticator } from '../../../gateway/auth/authentication.ts';
import { EventStream } from '../../../gateway/delivery/sse.ts';
import { RequestLimiter } from '../../../gateway/limits/request-limiter.ts';
import { KafkaUnavailableError } from '../../../service/failure.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';
import { countObserved, metricValue } from '../../helpers/service/metrics.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const { log, lines } = captureLog();
const service = useTestService({ log });
const database = useClient(service.databaseUrl);
const broken = new TypeError('injected');
const away = new KafkaUnavailableError('injected');

beforeEach(() => {
  lines.length = 0;
});
afterEach(() => {
  jest.restoreAllMocks();
});

let asked = 0;

async function ask(path: string, key = service.key) {
  asked += 1;
  const id = `defect-${asked}`;
  const before = await metricValue('defects_total', { where: 'request' });
  const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': id };
  const { status, body, headers: answered } = await service.get(path, { headers });
  const counted = (await metricValue('defects_total', { where: 'request' })) - before;
  return { id, status, code: body.error?.code, retryAfter: answered.get('retry-after'), counted };
}

const logged = (id: string, level: string) =>
  lines.filter((line) => line.requestId === id && line.level === level);

/** Renames a table during some work, so that every query of it is a defect. */
async function without<T>(table: string, work: () => Promise<T>): Promise<T> {
  await database.query(`ALTER TABLE ${table} RENAME TO hidden`);
  try {
    return await work();
  } finally {
    await database.query(`ALTER TABLE hidden RENAME TO ${table}`);
  }
}

let accounts = 0;
function newKey(plan = 'standard'): Promise<string> {
  accounts += 1;
  return service.createKey(`defect-${accounts}`, plan);
}

/** The message says so, or that a table is missing. */
const FAILED =
  /^a request failed \((a defect of the service|Postgres lacks the schema .*"npm run ops -- migrate")\)$/;

describe('a defect is answered 500 internal_error, logged with the id of the request, and counted', () => {
  const testDefect = (name: string, fail: () => ReturnType<typeof ask>) =>
    test(name, async () => {
      const { id, status, code, counted } = await fail();
      expect([status, code, counted]).toEqual([500, 'internal_error', 1]);
      expect(logged(id, 'error')).toEqual([
        expect.objectContaining({ where: 'request', msg: expect.stringMatching(FAILED) }),
      ]);
    });

  testDefect('in authentication', () => {
    jest.spyOn(Authenticator.prototype, 'authenticate').mockRejectedValueOnce(broken);
    return ask('/v1/states');
  });
  testDefect('in the query of a key', async () => {
    const key = await newKey();
    return without('api_keys', () => ask('/v1/states', key));
  });
  testDefect('in the limits', () => {
    jest.spyOn(RequestLimiter.prototype, 'admit').mockRejectedValueOnce(broken);
    return ask('/v1/states');
  });
  testDefect('in the query of a limit', async () => {
    const key = await newKey();
    return without('request_quotas', () => ask('/v1/states', key));
  });
  testDefect('in the query of a stream lease', async () => {
    const key = await newKey();
    return without('stream_leases', () => ask('/v1/stream', key));
  });
  testDefect('in the query of a read', () => without('subscriptions', () => ask('/v1/subscriptions')));
  testDefect('in reading events', () => {
    jest.spyOn(FeedReader.prototype, 'next').mockRejectedValueOnce(broken);
    return ask('/v1/events');
  });
  testDefect('in the query of a start', () =>
    without('relay_batches', () => ask('/v1/events?from=earliest')),
  );

  test('and its message stays internal', async () => {
    jest.spyOn(FeedReader.prototype, 'next').mockRejectedValueOnce(broken);
    const { body } = await service.get('/v1/events');
    expect(JSON.stringify(body)).not.toContain('injected');
  });
});

describe('an outage is answered 503 with Retry-After, logged as a warning, and is not a defect', () => {
  test('of Kafka, in reading events', async () => {
    jest.spyOn(FeedReader.prototype, 'next').mockRejectedValueOnce(away);
    const { id, status, code, retryAfter, counted } = await ask('/v1/events');
    expect([status, code, retryAfter, counted]).toEqual([503, 'server_busy', '2', 0]);
    expect(logged(id, 'error')).toEqual([]);
    expect(logged(id, 'warn').map(({ msg }) => msg)).toEqual(['a request failed (Kafka does not answer)']);
  });

  test('of Postgres, in looking up a key', async () => {
    const key = await newKey();
    await database.query('BEGIN');
    await database.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const { status, code, retryAfter, counted } = await ask('/v1/states', key).finally(() =>
      database.query('ROLLBACK'),
    );
    expect([status, code, retryAfter, counted]).toEqual([503, 'server_busy', '2', 0]);
    expect(lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toContain(
      'API keys cannot be looked up; known ones still work',
    );
  });
});

test('a client that leaves before its answers is not a defect, even if it sent requests one after the other', async () => {
  const before = await metricValue('defects_total', { where: 'answer' });
  const socket = connect(service.gateways[0]?.port ?? 0, '127.0.0.1');
  const request = (path: string, id: string) =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\nAccept-Encoding: gzip\r\nX-Request-Id: ${id}\r\n\r\n`;
  await database.query('BEGIN');
  try {
    await database.query('LOCK TABLE contests IN ACCESS EXCLUSIVE MODE');
    socket.write(request('/v1/contests', 'turn-1') + request('/v1/contests', 'turn-2'));
    await until('the wait for the lock', async () => {
      const { rows } = await database.query('SELECT FROM pg_locks WHERE NOT granted');
      return rows.length > 0;
    });
    socket.destroy();
  } finally {
    await database.query('ROLLBACK');
  }
  await until('the answer', () =>
    lines.some(({ requestId, msg }) => requestId === 'turn-1' && msg === 'request'),
  );
  await setImmediate();
  expect(logged('turn-1', 'info')).toEqual([expect.objectContaining({ path: '/v1/contests', status: 200 })]);
  expect(logged('turn-2', 'info')).toEqual([]);
  expect(await metricValue('defects_total', { where: 'answer' })).toBe(before);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});

describe('a stream', () => {
  const open = (id: string) => service.stream('', { headers: { 'X-Request-Id': id } });
  const endOf = async (id: string) => {
    const ended = () => lines.find((line) => line.requestId === id && line.msg === 'a stream ended');
    await until('the end of the stream', () => ended() !== undefined);
    return ended();
  };

  test('that meets a defect ends with an error event, the defect in the log and in the counts', async () => {
    const before = {
      defects: await metricValue('defects_total', { where: 'stream' }),
      ended: await metricValue('streams_ended_total', { reason: 'defect' }),
    };
    jest.spyOn(FeedReader.prototype, 'next').mockRejectedValueOnce(broken);
    const stream = await open('stream-1');
    await until('its end', () => stream.ended);
    expect(stream.events.map(({ event }) => event)).toEqual(['ready', 'error']);
    expect(stream.of('error')[0]?.data.code).toBe('internal_error');
    expect(stream.events.at(-1)?.id).toBeTruthy();
    expect(logged('stream-1', 'error')).toEqual([
      expect.objectContaining({ where: 'stream', account: 'test' }),
    ]);
    expect(await endOf('stream-1')).toMatchObject({ level: 'info', reason: 'defect', delivered: 0 });
    expect(await metricValue('defects_total', { where: 'stream' })).toBe(before.defects + 1);
    expect(await metricValue('streams_ended_total', { reason: 'defect' })).toBe(before.ended + 1);
  });

  test('that fails as a whole is disconnected, with the request in the log', async () => {
    jest.spyOn(EventStream.prototype, 'run').mockImplementationOnce(async () => {
      // The middleware has returned by then.
      await setImmediate();
      throw broken;
    });
    await open('stream-3').catch(() => {});
    await until('the log', () => lines.some(({ level, where }) => level === 'error' && where === 'stream'));
    expect(logged('stream-3', 'error')).toEqual([expect.objectContaining({ where: 'stream' })]);
  });

  test('that meets an outage waits and continues, with a warning', async () => {
    const next = jest.spyOn(FeedReader.prototype, 'next');
    next.mockRejectedValueOnce(away).mockRejectedValueOnce(away);
    const stream = await open('stream-2');
    await until('both failures', () => next.mock.calls.length > 2);
    await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
    await stream.wait('endorsement', 1);
    stream.close();
    expect(logged('stream-2', 'error')).toEqual([]);
    expect(logged('stream-2', 'warn').map(({ msg }) => msg)).toEqual([
      'a stream waits (Kafka does not answer)',
    ]);
    expect(await endOf('stream-2')).toMatchObject({ reason: 'client_closed', delivered: 1, account: 'test' });
  });
});

describe('a request counts for the route that would have answered it', () => {
  const count = (route: string, status: string) =>
    countObserved('http_request_duration_seconds', { route, status });

  test.each([
    ['/v1/contests/7', '/v1/contests/{id}', 401],
    ['/v1/events', '/v1/events', 401],
    ['/v1/nowhere', 'none', 401],
  ])('%s counts for %s if it is refused', async (path, route, status) => {
    const before = await count(route, String(status));
    expect((await ask(path, 'none')).status).toBe(status);
    await until('the count', async () => (await count(route, String(status))) === before + 1);
  });

  test('if the keys cannot be looked up', async () => {
    const before = await count('/v1/states', '500');
    const key = await newKey();
    await without('api_keys', () => ask('/v1/states', key));
    await until('the count', async () => (await count('/v1/states', '500')) === before + 1);
  });
});
