import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createConfig } from '../../../gateway/config.ts';
import { formatCursor, parseCursor } from '../../../schemas/cursor.ts';
import { createSeal } from '../../../service/sealing.ts';
import { sealPurpose } from '../../../service/webhook-settings.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { expectMessage } from '../../helpers/http/response-schema.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { Receiver } from '../../helpers/webhooks/receiver.ts';
import { WEBHOOK_ENV } from '../../helpers/webhooks/webhook-env.ts';

const { log, lines } = captureLog('trace');
const service = useTestService({ gateways: 2, log });
const client = useClient(service.databaseUrl);
beforeEach(() => client.query('TRUNCATE webhooks, subscriptions, idempotency_keys CASCADE'));

const PATH = '/v1/webhooks';
const URL = 'https://hooks.example.org/a';
const ALL = { name: 'All', url: URL };
const post = (body: unknown, headers?: Record<string, string>) =>
  service.send('POST', PATH, body, headers && { headers });
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

/** A cursor of a month ago. */
async function oldCursor(): Promise<string> {
  const cursor = parseCursor((await service.get('/v1/events')).body.next_cursor);
  return formatCursor({ ...cursor, time: cursor.time - MONTH_MS });
}

describe('a webhook', () => {
  test('is created, read, listed, replaced and deleted, and only its creation shows the secret', async () => {
    const filter = { states: ['OR'] };
    const created = await post({ ...ALL, filter });
    expect(created.status).toBe(201);
    const { secret, ...data } = created.body.data;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(data).toEqual({
      ...{ id: data.id, ...ALL, subscription: null, filter, state: 'active', reason: null },
      ...{ cursor: data.cursor, attempts: 0, delivered_batches: 0, delivered_events: 0, failures: 0 },
      ...{ failing_since: null, next_attempt_at: null, last_attempt: null },
      ...{ created_at: data.created_at, updated_at: data.created_at },
    });
    const path = `${PATH}/${data.id}`;
    expect(created.headers.get('location')).toBe(path);
    expect((await service.get(path)).body).toEqual({ data });
    expect((await service.get(PATH)).body).toEqual({ data: [data] });

    const replaced = await service.send('PUT', path, {
      name: 'Papers',
      url: 'https://hooks.example.org:8443/b',
    });
    expect(replaced.body.data).toEqual({
      ...{ ...data, name: 'Papers', url: 'https://hooks.example.org:8443/b', filter: {} },
      updated_at: replaced.body.data.updated_at,
    });
    const deleted = await service.send('DELETE', path);
    expect([deleted.status, deleted.body]).toEqual([204, null]);
    const gone = await service.get(path);
    expect([gone.status, gone.body.error.code]).toEqual([404, 'not_found']);
  });

  test('keeps its secret from the log, and from the database, which has only a sealed form', async () => {
    const { body } = await post(ALL, { 'Idempotency-Key': 'first' });
    const { secret } = body.data;
    const { rows } = await client.query('SELECT account_id, secret FROM webhooks');
    const [{ account_id: accountId, secret: sealed }] = rows;
    const key = { setting: 'KEY', file: null, read: () => WEBHOOK_ENV.WEBHOOK_SECRET_KEY };
    expect(createSeal(key).open(sealed, sealPurpose(accountId))).toBe(secret);
    const { rows: dumped } = await client.query(
      'SELECT (SELECT json_agg(w)::text FROM webhooks w) || (SELECT json_agg(i)::text FROM idempotency_keys i) AS text',
    );
    const text = secret.slice('whsec_'.length);
    expect(dumped[0].text).not.toContain(text);
    const logged = JSON.stringify(lines);
    expect(logged).toContain(PATH);
    expect(logged).not.toContain(text);
    expect(logged).not.toContain(WEBHOOK_ENV.WEBHOOK_SECRET_KEY);
  });

  test('follows a subscription, by id or name, which then cannot be deleted', async () => {
    const filter = { states: ['OR'] };
    const saved = await service.send('POST', '/v1/subscriptions', { name: 'Oregon', filter });
    const { id } = saved.body.data;
    const byName = await post({ ...ALL, subscription: 'Oregon' });
    expect(byName.body.data).toMatchObject({ subscription: { id, name: 'Oregon' }, filter });
    const byId = await post({ ...ALL, name: 'Other', subscription: id });
    expect(byId.body.data).toMatchObject({ subscription: { id, name: 'Oregon' }, filter });
    await service.send('PUT', `/v1/subscriptions/${id}`, { name: 'Oregon', filter: { states: ['CA'] } });
    const followed = await service.get(`${PATH}/${byId.body.data.id}`);
    expect(followed.body.data.filter).toEqual({ states: ['CA'] });
    const kept = await service.send('DELETE', `/v1/subscriptions/${id}`);
    expect([kept.status, kept.body.error.code]).toEqual([409, 'conflict']);
    for (const { body } of [byName, byId]) await service.send('DELETE', `${PATH}/${body.data.id}`);
    expect((await service.send('DELETE', `/v1/subscriptions/${id}`)).status).toBe(204);
  });

  test('begins at the newest change, or where the request says', async () => {
    await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
    const [first] = await service.eventsOnceThereAre(1);
    const latest = parseCursor((await service.get('/v1/events')).body.next_cursor).sequence;
    const begin = async (start: object) =>
      parseCursor(
        (await post({ name: JSON.stringify(start).slice(0, 100), url: URL, ...start })).body.data.cursor,
      ).sequence;
    expect(await begin({})).toBe(latest);
    expect(await begin({ from: 'latest' })).toBe(latest);
    expect(await begin({ from: 'earliest' })).toBe(0);
    expect(await begin({ since: first.occurred_at })).toBe(0);
    expect(await begin({ cursor: first.id })).toBe(1);
    const expired = await post({ ...ALL, cursor: await oldCursor() });
    expect([expired.status, expired.body.error.code]).toEqual([410, 'cursor_expired']);
  });

  test.each([
    ['no address', { name: 'a' }, 'invalid_webhook', 'url is missing'],
    ['no name', { url: URL }, 'invalid_webhook', 'name is missing'],
    ['a name of digits', { name: '7', url: URL }, 'invalid_webhook', 'not all digits'],
    [
      'an address that is not https',
      { name: 'a', url: 'ftp://a.example' },
      'invalid_webhook',
      'url must be an address',
    ],
    ['a user name', { name: 'a', url: 'https://me@a.example' }, 'invalid_webhook', 'user name'],
    ['a fragment', { name: 'a', url: 'https://a.example/#b' }, 'invalid_webhook', 'fragment'],
    ['an unknown key', { ...ALL, secret: 'whsec_x' }, 'invalid_webhook', 'secret is not a known field'],
    [
      'a filter and a subscription',
      { ...ALL, filter: {}, subscription: 'a' },
      'invalid_webhook',
      'exclude each other',
    ],
    [
      'an unknown subscription',
      { ...ALL, subscription: 'nothing' },
      'invalid_webhook',
      'no subscription "nothing"',
    ],
    [
      'an unknown endorser',
      { ...ALL, filter: { endorsers: ['nobody'] } },
      'invalid_filter',
      'endorsers has "nobody"',
    ],
    ['an unknown state', { ...ALL, filter: { states: ['ZZ'] } }, 'invalid_filter', 'is "ZZ"'],
    [
      'two starts',
      { ...ALL, from: 'latest', since: '2026-01-01T00:00:00Z' },
      'invalid_parameter',
      'exclude each other',
    ],
    ['a start in the future', { ...ALL, since: '2999-01-01T00:00:00Z' }, 'invalid_parameter', 'future'],
    [
      'a time without an offset',
      { ...ALL, since: '2026-01-01T00:00:00' },
      'invalid_webhook',
      'offset from UTC',
    ],
    [
      'a start on a day that does not exist',
      { ...ALL, since: '2026-02-30T00:00:00Z' },
      'invalid_parameter',
      'is "2026-02-30T00:00:00Z"',
    ],
    [
      'a subscription that is null',
      { ...ALL, filter: undefined, subscription: null },
      'invalid_webhook',
      'subscription must be the id or name of a subscription, is null.',
    ],
    ['a cursor of nobody', { ...ALL, cursor: 'x' }, 'invalid_parameter', 'not a cursor'],
    ['an unpaired surrogate', { ...ALL, name: 'a\ud800' }, 'invalid_webhook', 'surrogate'],
    ['a NUL beside its name', { ...ALL, subscription: 'a\0b' }, 'invalid_webhook', 'NUL character'],
  ])('with %s is refused, and nothing is saved', async (_, body, code, message) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
    expect(answer.body.error.message).toContain(message);
    expect((await service.get(PATH)).body.data).toEqual([]);
  });

  test('is created once for an Idempotency-Key, and the repeated answer has the same secret', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await post(ALL, headers);
    const again = await service.send('POST', PATH, ALL, { headers, gateway: 1 });
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await service.get(PATH)).body.data).toHaveLength(1);
    const other = await post({ ...ALL, name: 'Other' }, headers);
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict']);
  });

  test('has a name of its own, and an account has at most ten, or as many as its plan allows', async () => {
    await post(ALL);
    const taken = await post(ALL);
    expect([taken.status, taken.body.error.message]).toEqual([409, expect.stringContaining('named "All"')]);
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        service.send('POST', PATH, { name: `n${index}`, url: URL }, { gateway: index % 2 }),
      ),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(9);
    expect(made.find(({ status }) => status === 409)?.body.error.message).toContain('has 10 webhooks');

    const key = await service.createKey('small', 'free');
    const headers = { Authorization: `Bearer ${key}` };
    expect((await post(ALL, headers)).status).toBe(201);
    const second = await post({ ...ALL, name: 'Second' }, headers);
    expect([second.status, second.body.error.message]).toEqual([
      409,
      expect.stringContaining('has 1 webhook,'),
    ]);
    const move = (plan: string) =>
      service.query("UPDATE accounts SET plan = $1 WHERE name = 'small'", [plan]);
    await move('standard');
    expect((await post({ ...ALL, name: 'Second' }, headers)).status).toBe(201);
    await move('free');
    expect((await post({ ...ALL, name: 'Third' }, headers)).body.error.message).toBe(
      'The account has 2 webhooks, and its plan allows 1; delete 2 of them first.',
    );
  });

  test('of another account looks like one that does not exist', async () => {
    const { id } = (await post(ALL)).body.data;
    const key = await service.createKey('other', 'internal');
    const options = { headers: { Authorization: `Bearer ${key}` } };
    const path = `${PATH}/${id}`;
    const answers = [
      await service.get(path, options),
      await service.send('PUT', path, ALL, options),
      await service.send('DELETE', path, undefined, options),
      await service.send('POST', `${path}/secret`, undefined, options),
      await service.send('POST', `${path}/test`, undefined, options),
      await service.send('POST', `${path}/resume`, {}, options),
    ];
    for (const { status, body } of answers) expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect((await service.get(PATH, options)).body.data).toEqual([]);
    expect((await service.get(path)).status).toBe(200);
  });
});

describe('the secret of a webhook', () => {
  test('is rotated once for an Idempotency-Key, and the previous one is kept for a day', async () => {
    const { id, secret } = (await post(ALL)).body.data;
    const rotate = (key?: string) =>
      service.send(
        'POST',
        `${PATH}/${id}/secret`,
        undefined,
        key ? { headers: { 'Idempotency-Key': key } } : {},
      );
    const rotated = await rotate('now');
    expect(rotated.status).toBe(200);
    expect(rotated.body.data.secret).not.toBe(secret);
    expect((await rotate('now')).body).toEqual(rotated.body);
    const { rows } = await client.query(
      'SELECT account_id, secret, previous_secret, extract(epoch FROM previous_secret_until - updated_at)::int AS kept FROM webhooks',
    );
    const [row] = rows;
    const key = { setting: 'KEY', file: null, read: () => WEBHOOK_ENV.WEBHOOK_SECRET_KEY };
    const open = (sealed: Buffer) => createSeal(key).open(sealed, sealPurpose(row.account_id));
    expect([open(row.secret), open(row.previous_secret)]).toEqual([rotated.body.data.secret, secret]);
    expect(row.kept).toBe(24 * 60 * 60);
    expect((await rotate()).body.data.secret).not.toBe(rotated.body.data.secret);
  });
});

describe('a disabled webhook', () => {
  const disable = (id: number) =>
    client.query(
      `UPDATE webhooks SET state = 'disabled', reason = 'receiver_failed', failures = 9, failing_since = now() WHERE id = $1`,
      [id],
    );

  test('is resumed where it stood, with the batch that it has begun', async () => {
    const { id, cursor } = (await post(ALL)).body.data;
    await disable(id);
    await client.query("INSERT INTO webhook_batches VALUES ($1, 'msg_1', '{}', 1, $2)", [id, cursor]);
    expect((await service.get(`${PATH}/${id}`)).body.data).toMatchObject({
      state: 'disabled',
      reason: 'receiver_failed',
    });
    const { status, body } = await service.send('POST', `${PATH}/${id}/resume`, { from: 'position' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      ...{ state: 'active', reason: null, failures: 0, failing_since: null },
      cursor,
    });
    expect((await client.query('SELECT FROM webhook_batches')).rowCount).toBe(1);
  });

  test('is resumed elsewhere, without that batch', async () => {
    await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
    await service.eventsOnceThereAre(1);
    const { id } = (await post({ ...ALL, from: 'earliest' })).body.data;
    const resume = async (body: object) => {
      await client.query(
        "INSERT INTO webhook_batches VALUES ($1, 'msg_1', '{}', 1, 'x') ON CONFLICT DO NOTHING",
        [id],
      );
      const answer = await service.send('POST', `${PATH}/${id}/resume`, body);
      const { rowCount } = await client.query('SELECT FROM webhook_batches');
      return [answer.status, rowCount, parseCursor(answer.body.data.cursor).sequence > 0];
    };
    expect(await resume({ from: 'latest' })).toEqual([200, 0, true]);
    expect(await resume({ from: 'earliest' })).toEqual([200, 0, false]);
    expect(await resume({ since: new Date(Date.now() - 1000).toISOString() })).toEqual([
      200,
      0,
      expect.any(Boolean),
    ]);
    const { body } = await service.get('/v1/events');
    expect(await resume({ cursor: body.next_cursor })).toEqual([200, 0, true]);
  });

  test('is not resumed where events are no longer kept: the answer names what to do', async () => {
    const { id } = (await post(ALL)).body.data;
    await disable(id);
    await client.query('UPDATE webhooks SET cursor = $1', [await oldCursor()]);
    const { status, body } = await service.send('POST', `${PATH}/${id}/resume`, {});
    expect([status, body.error.code]).toEqual([410, 'cursor_expired']);
    expect(body.error.message).toContain('/v1/endorsements');
    expect((await service.get(`${PATH}/${id}`)).body.data.state).toBe('disabled');
    expect((await service.send('POST', `${PATH}/${id}/resume`, { from: 'latest' })).status).toBe(200);
  });

  test.each([
    [{ from: 'somewhere' }, 'invalid_webhook', 'position, latest or earliest'],
    [{ from: 'position', cursor: 'x' }, 'invalid_parameter', 'exclude each other'],
    [{ url: URL }, 'invalid_webhook', 'url is not a known field'],
  ])('is not resumed by %j', async (body, code, message) => {
    const { id } = (await post(ALL)).body.data;
    const answer = await service.send('POST', `${PATH}/${id}/resume`, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
    expect(answer.body.error.message).toContain(message);
  });
});

describe('a test message', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await Receiver.start((response) => void response.writeHead(418).end('short\0 and stout'));
    await service.stopConsumers();
    await service.startConsumers(['apply', 'relay', 'deliver']);
  });
  afterEach(() => receiver.stop());

  test('is sent to a disabled webhook too, and the answer is the outcome', async () => {
    const { id, secret, cursor } = (await post({ name: 'Here', url: receiver.url })).body.data;
    receiver.secret = secret;
    await client.query("UPDATE webhooks SET state = 'disabled', reason = 'by_account'");
    const { status, body } = await service.send('POST', `${PATH}/${id}/test`);
    expect([status, body.error]).toEqual([200, undefined]);
    const [message] = receiver.messages;
    expect(body.data).toEqual({
      ...{ message_id: message?.id, is_test: true, outcome: 'refused', status: 418, events: 0 },
      ...{ bytes: message?.body.length, answer: 'short\ufffd and stout' },
      ...{ attempted_at: body.data.attempted_at, duration_ms: expect.any(Number) },
    });
    expect(message?.json).toEqual({
      type: 'webhook.test',
      timestamp: expect.any(String),
      data: { webhook_id: id },
    });
    expectMessage(message?.json);
    const after = (await service.get(`${PATH}/${id}`)).body.data;
    expect(after).toMatchObject({
      state: 'disabled',
      failures: 0,
      attempts: 1,
      last_attempt: body.data,
      cursor,
    });
    expect((await service.send('POST', `${PATH}/${id}/test`)).body.data.message_id).not.toBe(message?.id);
    expect(receiver.messages).toHaveLength(2);
  });
});

test('without WEBHOOK_SECRET_KEY, every endpoint says that webhooks are off', async () => {
  const { id } = (await post(ALL)).body.data;
  const off = createConfig({ DATABASE_URL: service.databaseUrl, KAFKA_BROKERS: 'nowhere:9092' });
  const { webhooks } = service.config;
  service.config.webhooks = off.webhooks;
  const path = `${PATH}/${id}`;
  const answers = [
    await service.get(PATH),
    await post(ALL),
    await service.get(path),
    await service.send('PUT', path, ALL),
    await service.send('DELETE', path),
    await service.send('POST', `${path}/secret`),
    await service.send('POST', `${path}/test`),
    await service.send('POST', `${path}/resume`, {}),
  ];
  service.config.webhooks = webhooks;
  for (const { status, body, headers } of answers) {
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'not_available', '300']);
    expect(body.error.message).toContain('does not deliver to webhooks');
  }
  expect((await service.get(path)).status).toBe(200);
});
