import { connect as dial } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { CreateKeyOptions } from '../../../ops/commands/keys.ts';
import { type Clock, systemClock } from '../../../service/clock.ts';
import { createIo, createRunner } from '../../helpers/commands/command-io.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { type Answer, useTestService } from '../../helpers/service/service.ts';
import type { EventStreamClient } from '../../helpers/stream/event-stream.ts';
import { useStreams } from '../../helpers/stream/use-streams.ts';
import { until } from '../../helpers/until.ts';

const accounts = createRunner('accounts');

/** The system's clock, shifted so that a minute has just begun. */
class WholeMinuteClock implements Clock {
  #offset = 0;
  #held: number | null = null;

  startMinute(): void {
    this.#offset = 60_000 - (Date.now() % 60_000);
  }

  /** Stops the time during some work, so that a slow machine stays within the minute. */
  async hold(work: () => Promise<unknown>): Promise<void> {
    this.#held = this.now();
    await work().finally(() => {
      this.#held = null;
    });
  }

  now = () => this.#held ?? Date.now() + this.#offset;
  wait = systemClock.wait;
  schedule = systemClock.schedule;
}

const clock = new WholeMinuteClock();
let accountsMade = 0;
const opened = useStreams();

const service = useTestService({ gateways: 2, clock, gatewayConfig: { accountConcurrency: 20 } });
const client = useClient(service.databaseUrl);

function newKey(plan: string, options: Partial<CreateKeyOptions> = {}): Promise<string> {
  accountsMade += 1;
  return service.createKey(`account-${accountsMade}`, plan, options);
}

const ask = (path: string, key: string, gateway = 0): Promise<Answer> =>
  service.get(path, { gateway, headers: { Authorization: `Bearer ${key}` } });

const LIMIT_HEADERS = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
  'x-daily-limit',
  'x-daily-remaining',
];
const limitHeaders = ({ headers }: Pick<Answer, 'headers'>) =>
  LIMIT_HEADERS.map((name) => headers.get(name)).filter((value) => value !== null);

describe('every answer to a known key has rate limit headers', () => {
  test.each([
    ['/v1/states', 200],
    ['/v1/states?limit=3', 400],
    ['/v1/nowhere', 404],
    ['/v1/events', 200],
    ['/v1/subscriptions/99', 404],
  ])('%s, %i', async (path, status) => {
    clock.startMinute();
    const answer = await ask(path, await newKey('free'));
    expect(answer.status).toBe(status);
    const seconds = expect.stringMatching(/^(60|5[0-9])$/);
    expect(limitHeaders(answer)).toEqual([
      '60',
      '59',
      seconds,
      '"minute";q=60;w=60, "day";q=5000;w=86400',
      expect.stringMatching(/^"minute";r=59;t=[56][0-9], "day";r=4999;t=[0-9]+$/),
      '5000',
      '4999',
    ]);
  });

  test('also a stream, and a key without the scope', async () => {
    const key = await newKey('free', { scopes: ['stream:read'] });
    const stream = await opened(service.stream('', { headers: { Authorization: `Bearer ${key}` } }));
    expect(limitHeaders(stream.response)).toHaveLength(LIMIT_HEADERS.length);
    const refused = await ask('/v1/states', key);
    expect([refused.status, limitHeaders(refused).length]).toEqual([403, LIMIT_HEADERS.length]);
  });

  test.each([
    ['revoked', 'revoked_api_key', 'UPDATE api_keys SET revoked_at = now() WHERE account_id = $1'],
    ['expired', 'expired_api_key', "UPDATE api_keys SET expires_at = '2020-01-01' WHERE account_id = $1"],
    ['suspended', 'account_suspended', 'UPDATE accounts SET suspended_at = now() WHERE id = $1'],
  ])('also to a key that is %s, without counting against its limits', async (_, code, refuse) => {
    clock.startMinute();
    const key = await newKey('free');
    expect((await ask('/v1/states', key)).headers.get('ratelimit-remaining')).toBe('59');
    const { rows } = await client.query('SELECT max(id) AS id FROM accounts');
    await client.query(refuse, [rows[0].id]);
    const refused = async () => (await ask('/v1/states', key)).body.error?.code === code;
    await until('the key is refused', refused, 5000);
    const answers = [await ask('/v1/states', key), await ask('/v1/nowhere', key)];
    const [left] = limitHeaders(answers[0] as Answer).slice(1);
    for (const answer of answers) {
      expect(answer.body.error.code).toBe(code);
      expect(limitHeaders(answer)).toHaveLength(LIMIT_HEADERS.length);
      expect(answer.headers.get('ratelimit-limit')).toBe('60');
      expect(answer.headers.get('ratelimit-remaining')).toBe(left);
    }
  });

  test('but not for limits that the plan does not have, and not without a known key', async () => {
    expect(limitHeaders(await ask('/v1/states', service.key))).toEqual([]);
    expect(limitHeaders(await ask('/v1/states', 'none'))).toEqual([]);
    expect((await ask('/v1/states', await newKey('standard'))).headers.get('x-daily-limit')).toBeNull();
  });
});

describe('on two gateways together', () => {
  test('60 a minute are 60, for all keys of the account together', async () => {
    clock.startMinute();
    const first = await newKey('free');
    const account = `account-${accountsMade}`;
    const second = await service.createKey(account, 'free');
    const answers: Answer[] = [];
    for (let i = 0; i < 80; i += 1) answers.push(await ask('/v1/states', i % 3 ? first : second, i % 2));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(20);
    for (const { headers, body } of refused) {
      expect(body.error.code).toBe('rate_limit_exceeded');
      expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
      expect(headers.get('ratelimit-remaining')).toBe('0');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('under load, the limit is never exceeded, and missed by a tenth at most', async () => {
    clock.startMinute();
    const key = await newKey('standard');
    const statuses = new Map<number, number>();
    let asked = 0;
    const work = async (gateway: number) => {
      while (asked < 900) {
        asked += 1;
        const { status } = await ask('/v1/states', key, gateway);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    // One gateway gets three times the load of the other.
    await clock.hold(() => Promise.all([0, 0, 0, 0, 0, 0, 1, 1].map(work)));
    expect([...statuses.keys()].sort()).toEqual([200, 429]);
    expect(statuses.get(200)).toBeLessThanOrEqual(600);
    expect(statuses.get(200)).toBeGreaterThanOrEqual(540);
  });

  test('a used-up day is answered 429 daily_limit_exceeded', async () => {
    const key = await newKey('free');
    await client.query(
      `INSERT INTO request_quotas (account_id, kind, window_start, used)
       SELECT max(id), 'day', date_trunc('day', now(), 'UTC') + d * interval '1 day', 4999
       FROM accounts, generate_series(0, 1) AS d GROUP BY d`,
    );
    expect((await ask('/v1/states', key)).headers.get('x-daily-remaining')).toBe('0');
    const { status, headers, body } = await ask('/v1/states', key, 1);
    expect([status, body.error.code]).toEqual([429, 'daily_limit_exceeded']);
    const untilMidnight = Math.ceil((86_400_000 - (clock.now() % 86_400_000)) / 1000);
    expect(Math.abs(Number(headers.get('retry-after')) - untilMidnight)).toBeLessThan(10);
  });

  test('an account that moves to a larger plan continues within seconds', async () => {
    clock.startMinute();
    const key = await newKey('free');
    await Promise.all(Array.from({ length: 15 }, () => ask('/v1/states', key)));
    await client.query(
      `UPDATE request_quotas SET used = 60 WHERE account_id = (SELECT max(id) FROM accounts)`,
    );
    await until('the minute is used up', async () => (await ask('/v1/states', key)).status === 429);
    const io = createIo({ DATABASE_URL: service.databaseUrl });
    await accounts(['set-plan', `account-${accountsMade}`, '--plan', 'standard'], io);
    await until('the plan counts', async () => (await ask('/v1/states', key)).status === 200, 5000);
  });
});

describe('concurrent requests', () => {
  test('are limited by account, and other accounts do not notice', async () => {
    const key = await newKey('standard');
    const held = Array.from({ length: 20 }, () => ask('/v1/events?wait=3', key));
    await until('they are under way', async () => (await ask('/v1/states', key)).status === 429);
    const refused = await ask('/v1/states', key);
    expect([refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
      'rate_limit_exceeded',
      '1',
    ]);
    expect(refused.body.error.message).toContain('20 requests under way');
    expect((await ask('/v1/states', await newKey('standard'))).status).toBe(200);
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(held.map(() => 200));
    expect((await ask('/v1/states', key)).status).toBe(200);
  });

  test('end when their clients disconnect within a compressed body', async () => {
    const key = await newKey('standard');
    const body = gzipSync('{"name": "Of a client that is lost"}');
    const head =
      `POST /v1/subscriptions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Encoding: gzip\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const sockets = Array.from({ length: 20 }, () => {
      const socket = dial(service.gateways[0]?.port ?? 0, '127.0.0.1');
      socket.write(head);
      socket.write(body.subarray(0, -1));
      return socket;
    });
    await until('they are under way', async () => (await ask('/v1/states', key)).status === 429);
    for (const socket of sockets) socket.destroy();
    await until('they have ended', async () => (await ask('/v1/states', key)).status === 200);
  });

  test('are not limited if the plan has no limits', async () => {
    const held = Array.from({ length: 40 }, () => ask('/v1/events?wait=1', service.key));
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(held.map(() => 200));
  });
});

describe('open streams', () => {
  const connect = (key: string, gateway: number) =>
    opened(service.stream('', { gateway, headers: { Authorization: `Bearer ${key}` } }));

  test('of 100 clients that race for 5 places on two gateways, exactly 5 get one and the others 429', async () => {
    const key = await newKey('standard');
    // As many requests at a time as this service allows an account.
    const streams: EventStreamClient[] = [];
    for (let round = 0; round < 5; round += 1) {
      streams.push(...(await Promise.all(Array.from({ length: 20 }, (_, index) => connect(key, index % 2)))));
    }
    const refused = streams.filter(({ response }) => response.status === 429);
    expect(streams.filter(({ response }) => response.status === 200)).toHaveLength(5);
    expect(refused).toHaveLength(95);
    const [first] = refused;
    expect(await first?.response.json()).toMatchObject({
      error: { code: 'too_many_streams', message: expect.stringContaining('5 open streams') },
    });
    expect(Number(first?.response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('free their place when the client leaves, on either gateway', async () => {
    const key = await newKey('free');
    const stream = await connect(key, 0);
    await stream.wait('ready', 1);
    expect((await connect(key, 1)).response.status).toBe(429);
    stream.close();
    await until('the place is free', async () => (await connect(key, 1)).response.status === 200, 3000);
  });

  test('that are refused do not count against the minute and the day', async () => {
    clock.startMinute();
    const key = await newKey('free');
    const stream = await connect(key, 0);
    const before = limitHeaders(stream.response);
    const refused: EventStreamClient[] = [];
    // More than the plan allows in a minute, together with the first.
    for (let i = 0; i < 60; i += 1) refused.push(await connect(key, 0));
    expect(new Set(refused.map(({ response }) => response.status))).toEqual(new Set([429]));
    const [, minute, , , , , day] = before;
    for (const { response } of refused) {
      expect(response.headers.get('ratelimit-remaining')).toBe(minute);
      expect(response.headers.get('x-daily-remaining')).toBe(day);
    }
    const waits = refused.map(({ response }) => Number(response.headers.get('retry-after')));
    // They come together, so the second one does not wait for longer than the first.
    expect(waits.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(8);
    expect((await ask('/v1/states', key)).status).toBe(200);
  });

  test('are not counted for HEAD or for a refused request', async () => {
    const key = await newKey('free');
    const headers = { Authorization: `Bearer ${key}` };
    expect((await fetch(service.url('/v1/stream'), { method: 'HEAD', headers })).status).toBe(200);
    expect((await ask('/v1/stream?from=middle', key)).status).toBe(400);
    await until('the place is free', async () => (await connect(key, 0)).response.status === 200, 3000);
  });
});
