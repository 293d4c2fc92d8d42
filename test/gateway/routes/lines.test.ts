import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { FairQueue } from '../../../gateway/limits/fair-queue.ts';
import { parseCursor } from '../../../schemas/cursor.ts';
import { endorse, withdraw } from '../../helpers/ballots/submissions.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { metricValue } from '../../helpers/service/metrics.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService();
const client = useClient(service.databaseUrl);
beforeAll(async () => {
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann', { statement: 'One\nline.', statement_es: 'Una\nlínea.' }),
    endorse('bakers-local-1', 'council', 'bob'),
    endorse('coast-gazette', 'prop-1', 'yes'),
    endorse('nation-herald', 'prop-1', 'no'),
  ]);
  await service.eventsOnceThereAre(4);
  // The first rows are no longer the first ones of their tables.
  for (const table of ['endorsements', 'contests']) {
    await client.query(
      `UPDATE ${table} SET election_id = election_id WHERE id = (SELECT min(id) FROM ${table})`,
    );
  }
});

const LINES = { Accept: 'application/x-ndjson' };

// biome-ignore lint/suspicious/noExplicitAny: the tests compare records whose shape other tests check.
type Json = any;

interface Lines {
  response: Response;
  first: Json;
  records: Json[];
  last: Json;
}

async function lines(path: string, headers: Record<string, string> = {}): Promise<Lines> {
  const response = await fetch(service.url(path), {
    headers: { Authorization: `Bearer ${service.key}`, ...LINES, ...headers },
  });
  const body = await response.text();
  expect(body.endsWith('\n')).toBe(true);
  const parsed = body
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
  return { response, first: parsed.at(0), records: parsed.slice(1, -1), last: parsed.at(-1) };
}

async function listed(path: string): Promise<Json[]> {
  const { status, body } = await service.get(path);
  expect(status).toBe(200);
  return body.data.toSorted((a: Json, b: Json) => a.id - b.id);
}

describe.each(['/v1/endorsements', '/v1/contests'])('%s as lines of JSON', (path) => {
  test('has the records of the list by id, between the position in the stream and their count', async () => {
    const { response, first, records, last } = await lines(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('vary')).toMatch(/\bAccept\b(?!-)/);
    expect(records).toEqual(await listed(`${path}?limit=500`));
    expect(records.length).toBeGreaterThan(2);
    expect(Object.keys(first)).toEqual(['stream_cursor']);
    expect(parseCursor(first.stream_cursor).sequence).toBe(4);
    expect(last).toEqual({ count: records.length });
  });

  test.each([
    'states=OR',
    'levels=city&contest_kinds=candidate',
    'elections=ca-2026-11-03-general',
    'lang=es',
  ])('takes the filters of the list: %s', async (query) => {
    const { records, last } = await lines(`${path}?${query}`);
    expect(records).toEqual(await listed(`${path}?${query}&limit=500`));
    expect(last).toEqual({ count: records.length });
  });

  test('continues after an id', async () => {
    const all = await listed(`${path}?limit=500`);
    const { records, last } = await lines(`${path}?after=${all[1].id}`);
    expect(records).toEqual(all.slice(2));
    expect(last).toEqual({ count: all.length - 2 });
    const { records: none } = await lines(`${path}?after=${all.at(-1).id}`);
    expect(none).toEqual([]);
  });

  test.each(['gzip', 'br', 'zstd', 'identity'])('is compressed as asked: %s', async (encoding) => {
    const { response, records } = await lines(path, { 'Accept-Encoding': encoding });
    expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
    expect(records).toEqual(await listed(`${path}?limit=500`));
  });

  test.each([
    ['limit=10', 'limit'],
    ['cursor=abc', 'cursor'],
    ['after=0', 'after'],
    ['states=XX', 'states'],
  ])('refuses %s', async (query, name) => {
    const response = await fetch(service.url(`${path}?${query}`), {
      headers: { Authorization: `Bearer ${service.key}`, ...LINES },
    });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as Json;
    expect(error).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining(name) });
  });

  test.each([
    ['*/*', 'application/json; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
    ['application/x-ndjson;q=0.5, application/json', 'application/json; charset=utf-8'],
    ['application/x-ndjson, application/json;q=0.5', 'application/x-ndjson'],
    ['application/x-ndjson; charset=utf-8', 'application/x-ndjson'],
    ['application/x-ndjson;profile="a, b; q=0";v', 'application/x-ndjson'],
    ['application/json; charset=utf-8, application/x-ndjson;q=0.9', 'application/json; charset=utf-8'],
    ['application/x-ndjson; charset=utf-8; Q=0.5, application/json', 'application/json; charset=utf-8'],
    ['text/event-stream; charset=utf-8', 'application/json; charset=utf-8'],
  ])('is for clients that prefer it: %s', async (accept, type) => {
    const response = await fetch(service.url(path), {
      headers: { Authorization: `Bearer ${service.key}`, Accept: accept },
    });
    expect(response.headers.get('content-type')).toBe(type);
    await response.text();
  });

  test('continues after an id, but the list itself does not', async () => {
    const { status, body } = await service.get(`${path}?after=1`);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
  });

  test('answers HEAD with the headers alone', async () => {
    const response = await fetch(service.url(path), {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${service.key}`, ...LINES },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  });
});

/** Selects the connections that hold the snapshot of an export. */
const EXPORTING =
  "datname = current_database() AND state <> 'idle' AND query ~ '^(DECLARE export|FETCH 100 FROM export)'";

/** The number of exports that hold a snapshot. */
async function snapshots(): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE ${EXPORTING}`,
  );
  return rows[0]?.count ?? 0;
}

describe('a large answer of lines', () => {
  /** With their long titles, more than the sockets hold. */
  const MANY = 4_000;

  beforeAll(async () => {
    await client.query(
      `INSERT INTO contests (key, election_id, district_id, title, short_title, kind, vote_method, tier, ballot_order,
         election_date, election_slug)
       SELECT c.key || n, election_id, district_id, repeat(title, 150), short_title, kind, vote_method, tier, ballot_order,
         election_date, election_slug
       FROM (SELECT * FROM contests ORDER BY id LIMIT 1) AS c, generate_series(1, $1::int) AS n`,
      [MANY],
    );
  });

  /** Asks for all contests and reads nothing yet. */
  async function open(key = service.key) {
    const headers = { Authorization: `Bearer ${key}`, ...LINES, 'Accept-Encoding': 'identity' };
    const asked = request(service.url('/v1/contests'), { headers, agent: false });
    asked.end();
    const [response] = await once(asked, 'response');
    return { asked, response };
  }

  test('shows one snapshot, even if it is read slowly', async () => {
    const { response } = await open();
    await until('the answer waits for its reader', async () => (await snapshots()) === 1);
    await client.query(`UPDATE contests SET removed_at = now() WHERE id = (SELECT max(id) FROM contests)`);
    const all = (await text(response)).trimEnd().split('\n');
    expect(JSON.parse(all.at(-1) ?? '').count).toBe(all.length - 2);
    expect(all.length - 2).toBeGreaterThan(MANY);
    const { last } = await lines('/v1/contests');
    expect(last).toEqual({ count: all.length - 3 });
  });

  test('ends its query when the client leaves', async () => {
    const { asked } = await open();
    await until('the answer waits for its reader', async () => (await snapshots()) === 1);
    asked.destroy();
    await until('the query has ended', async () => (await snapshots()) === 0);
  });

  test('INV-15: ends a statement under way when the client leaves', async () => {
    const WAITING = `${EXPORTING} AND wait_event_type = 'Lock'`;
    const waiting = async () => {
      // A transaction sees the statements of its first look otherwise.
      await client.query('SELECT pg_stat_clear_snapshot()');
      return (await client.query(`SELECT FROM pg_stat_activity WHERE ${WAITING}`)).rowCount;
    };
    await client.query('BEGIN; LOCK TABLE contests IN ACCESS EXCLUSIVE MODE');
    try {
      const { asked } = await open();
      await until('the statement waits', async () => Number(await waiting()) > 0);
      asked.destroy();
      await until('the statement has ended', async () => (await waiting()) === 0, 5000);
    } finally {
      await client.query('ROLLBACK');
    }
  });

  test('counts as left, not as failed, if the answer ends while records are fetched, as after HEAD', async () => {
    const count = (outcome: string) => metricValue('exports_total', { outcome });
    const [left, failed] = [await count('left'), await count('failed')];
    const response = await fetch(service.url('/v1/contests'), {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${service.key}`, ...LINES },
    });
    expect(response.status).toBe(200);
    await until('the export has ended', async () => {
      return (await count('left')) + (await count('failed')) > left + failed;
    });
    expect([await count('left'), await count('failed')]).toEqual([left + 1, failed]);
  });

  test('is made for two requests of an account at a time, and more wait', async () => {
    const first = await open();
    const second = await open();
    await until('both wait for their readers', async () => (await snapshots()) === 2);
    const third = open();
    third.catch(() => {});
    await expect(
      Promise.race([third.then(() => 'answered'), lines('/v1/states').catch(() => 'free')]),
    ).resolves.toBe('free');
    first.asked.destroy();
    const { response, asked } = await third;
    expect(response.statusCode).toBe(200);
    asked.destroy();
    second.asked.destroy();
    await until('all queries have ended', async () => (await snapshots()) === 0);
  });

  test('ends when the key is revoked, and is refused before its turn', async () => {
    const key = await service.createKey('revoked', 'internal');
    const begun = [await open(key), await open(key)];
    await until('both wait for their readers', async () => (await snapshots()) === 2);
    const run = jest.spyOn(FairQueue.prototype, 'run');
    const third = open(key);
    await until('the third waits for its turn', () => run.mock.calls.length === 1);
    run.mockRestore();
    await client.query('UPDATE api_keys SET revoked_at = now() WHERE id = (SELECT max(id) FROM api_keys)');
    const { response } = await third;
    expect(response.statusCode).toBe(401);
    expect(JSON.parse(await text(response)).error.code).toBe('revoked_api_key');
    for (const { response } of begun) await expect(text(response)).rejects.toThrow('aborted');
  });

  test('is refused if the gateway stops before its turn, while those under way continue', async () => {
    const [first, second] = [await open(), await open()];
    await until('both wait for their readers', async () => (await snapshots()) === 2);
    const run = jest.spyOn(FairQueue.prototype, 'run');
    const third = open();
    await until('the third waits for its turn', () => run.mock.calls.length === 1);
    run.mockRestore();
    const stopped = service.gateways[0]?.stop();
    const reading = text(first.response);
    const { response } = await third;
    const { 'retry-after': retryAfter, connection } = response.headers;
    expect([response.statusCode, retryAfter, connection]).toEqual([503, '2', 'close']);
    expect(JSON.parse(await text(response)).error).toMatchObject({
      code: 'server_busy',
      message: 'This gateway is shutting down.',
    });
    const all = (await reading).trimEnd().split('\n');
    expect(JSON.parse(all.at(-1) ?? '').count).toBe(all.length - 2);
    second.asked.destroy();
    await stopped;
    await service.startGateway(0);
    await until('the next gateway is ready', async () => (await service.gateways[0]?.isReady()) ?? false);
  });

  test('has a line with an error, and no count, if the database goes away in the middle', async () => {
    const { response } = await open();
    await until('its connection is ended', async () => {
      const { rows } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${EXPORTING}`,
      );
      return rows.length === 1;
    });
    const all = (await text(response)).trimEnd().split('\n');
    expect(JSON.parse(all.at(-1) ?? '')).toEqual({
      error: {
        code: 'server_busy',
        message: expect.any(String),
        request_id: response.headers['x-request-id'],
      },
    });
    expect(JSON.parse(all.at(0) ?? '')).toHaveProperty('stream_cursor');
  });
});

test('a withdrawn endorsement is in no line', async () => {
  await service.submit([withdraw('nation-herald', 'prop-1', 'no')]);
  await service.eventsOnceThereAre(5);
  const { records, first } = await lines('/v1/endorsements');
  expect(records.map(({ endorser }) => endorser.slug)).not.toContain('nation-herald');
  expect(parseCursor(first.stream_cursor).sequence).toBe(5);
});
