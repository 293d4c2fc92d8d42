import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
const client = useClient(service.databaseUrl);
beforeEach(() => client.query('TRUNCATE subscriptions, idempotency_keys CASCADE'));

const post = (body: unknown, headers?: Record<string, string>) =>
  service.send('POST', '/v1/subscriptions', body, headers && { headers });
const NEWSPAPERS = { name: 'Newspapers', filter: { categories: ['newspaper'], states: ['CA', 'OR'] } };

describe('a subscription', () => {
  test('is saved, read, listed, replaced and deleted', async () => {
    const created = await post(NEWSPAPERS);
    expect(created.status).toBe(201);
    const { id, created_at } = created.body.data;
    expect(created.body.data).toEqual({ id, ...NEWSPAPERS, created_at, updated_at: created_at });
    expect(created.headers.get('location')).toBe(`/v1/subscriptions/${id}`);
    expect((await service.get(`/v1/subscriptions/${id}`)).body).toEqual(created.body);
    expect((await service.get('/v1/subscriptions')).body).toEqual({ data: [created.body.data] });

    const replaced = await service.send('PUT', `/v1/subscriptions/${id}`, { name: 'All' });
    expect(replaced.body.data).toMatchObject({ id, name: 'All', filter: {}, created_at });
    const deleted = await service.send('DELETE', `/v1/subscriptions/${id}`);
    expect([deleted.status, deleted.body]).toEqual([204, null]);
    const gone = await service.get(`/v1/subscriptions/${id}`);
    expect([gone.status, gone.body.error.code]).toEqual([404, 'subscription_not_found']);
  });

  test('that does not exist is not found, even with a long id', async () => {
    const path = '/v1/subscriptions/99999999999';
    for (const { status, body } of [
      await service.get(path),
      await service.send('PUT', path, { name: 'a' }),
      await service.send('DELETE', path),
    ]) {
      expect([status, body.error.code]).toEqual([404, 'subscription_not_found']);
    }
  });

  test('without a filter selects everything', async () => {
    expect((await post({ name: 'Everything' })).body.data.filter).toEqual({});
  });

  test.each([
    ['no name', {}, 'invalid_subscription', 'name is missing.'],
    ['a name of digits', { name: '42' }, 'invalid_subscription', 'not all digits'],
    ['an empty name', { name: '' }, 'invalid_subscription', 'text of 1 to 100 characters'],
    ['a name too long', { name: 'x'.repeat(101) }, 'invalid_subscription', 'text of 1 to 100 characters'],
    [
      'a name that is too long in its one form',
      { name: '\u0958'.repeat(51) },
      'invalid_subscription',
      'text of 1 to 100 characters',
    ],
    ['an invisible name', { name: '\u200b' }, 'invalid_subscription', 'text of 1 to 100 characters'],
    ['digits with spaces', { name: ' 42\u00a0' }, 'invalid_subscription', 'not all digits'],
    ['a name that is not text', { name: 7 }, 'invalid_subscription', 'is 7'],
    ['an unknown key', { name: 'a', filters: {} }, 'invalid_subscription', 'filters is not a known field'],
    [
      'an unknown filter field',
      { name: 'a', filter: { colour: ['red'] } },
      'invalid_filter',
      'filter.colour',
    ],
    ['an unknown state', { name: 'a', filter: { states: ['ZZ'] } }, 'invalid_filter', 'is "ZZ"'],
    ['an empty list', { name: 'a', filter: { states: [] } }, 'invalid_filter', 'a list of 1 to 500 values'],
    [
      'a value that is not a list',
      { name: 'a', filter: { states: 'CA' } },
      'invalid_filter',
      'filter.states',
    ],
    [
      'an unknown endorser',
      { name: 'a', filter: { endorsers: ['nobody'] } },
      'invalid_filter',
      'endorsers has "nobody"',
    ],
    ['a line break in its name', { name: 'a\nb' }, 'invalid_subscription', 'without control characters'],
    ['an unpaired surrogate', { name: 'a\ud800' }, 'invalid_subscription', 'surrogate'],
    ['a NUL beside its name', { name: 'a', filter: { endorsers: ['b\0'] } }, 'invalid_subscription', 'NUL'],
    ['no object', [], 'invalid_subscription', 'must be an object'],
    ['a number', '5', 'invalid_json', 'is not a JSON object'],
    ['null', 'null', 'invalid_json', 'is not a JSON object'],
    ['half a text', '{"name":', 'invalid_json', 'is not JSON: Unexpected end of JSON input.'],
    ['a comma too many', '{"name": "a",}', 'invalid_json', 'at position 13 (line 1 column 14).'],
    ['a character that V8 cuts in half', `x23456789😀${'x'.repeat(99)}`, 'invalid_json', '"x23456789\ufffd"'],
    ['an empty body', '', 'invalid_json', 'JSON object'],
  ])('with %s is refused, and nothing is saved', async (_, body, code, message) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
    expect(answer.body.error.message).toContain(message);
    expect((await service.get('/v1/subscriptions')).body.data).toEqual([]);
  });

  test('that is not UTF-8 is refused, with any declared charset', async () => {
    for (const type of ['application/json', 'application/json; charset=latin1']) {
      const { status, body } = await post(Buffer.from('{"name":"caf\xe9"}', 'latin1'), {
        'Content-Type': type,
      });
      expect([status, body.error.code]).toEqual([400, 'invalid_json']);
      expect(body.error.message).toContain('UTF-8');
    }
    expect((await service.get('/v1/subscriptions')).body.data).toEqual([]);
  });

  test('with another JSON content type is accepted', async () => {
    const { status, body } = await post({ name: 'Café' }, { 'Content-Type': 'application/vnd.example+json' });
    expect([status, body.data.name]).toEqual([201, 'Café']);
  });

  test('is decompressed, in whatever case its Content-Encoding is written', async () => {
    const { status, body } = await post(gzipSync('{"name":"Packed"}'), { 'Content-Encoding': 'GZIP' });
    expect([status, body.data?.name]).toEqual([201, 'Packed']);
  });

  test.each(['zstd', 'gzip'])(
    'that cannot be decompressed as %s is refused for that reason',
    async (coding) => {
      const { status, body } = await post('{"name":"a"}', { 'Content-Encoding': coding });
      expect([status, body.error.code]).toEqual([400, 'invalid_json']);
      expect(body.error.message).toContain(`"${coding}"`);
      expect(body.error.message).toContain('gzip, deflate or br');
    },
  );

  test('above 384 KB is 413, and with another content type 400', async () => {
    const large = await post({ name: 'x'.repeat(384 * 1024) });
    expect([large.status, large.body.error.code]).toEqual([413, 'body_too_large']);
    const form = await post('name=a', { 'Content-Type': 'application/x-www-form-urlencoded' });
    expect([form.status, form.body.error.code]).toEqual([400, 'invalid_json']);
  });

  test('has one form of its name, by which it is found', async () => {
    const { body } = await post({ name: ' Rive\u00a0 Gauche\u200b Cafe\u0301 ' });
    expect(body.data.name).toBe('Rive Gauche Café');
    expect((await post({ name: 'Rive Gauche Café' })).status).toBe(409);
    const found = await service.get(
      `/v1/events?subscription=${encodeURIComponent('Rive Gauche Cafe\u0301')}`,
    );
    expect(found.status).toBe(200);
  });

  test('with a taken name is a conflict, also when another is renamed to it', async () => {
    await post({ name: 'One' });
    const { body } = await post({ name: 'Two' });
    for (const answer of [
      await post({ name: 'One' }),
      await service.send('PUT', `/v1/subscriptions/${body.data.id}`, { name: 'One' }),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict']);
    }
  });

  test('is one of at most fifty, even if many requests arrive at once, and each can be repeated', async () => {
    const create = async (_: unknown, index: number) => {
      const { status } = await post({ name: `Number ${index}` }, { 'Idempotency-Key': `order-${index}` });
      return status;
    };
    const statuses = await Promise.all(Array.from({ length: 55 }, create));
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.filter((status) => status === 409)).toHaveLength(5);
    expect(await Promise.all(statuses.map(create))).toEqual(statuses);
  });

  test('of another account does not exist', async () => {
    const { body } = await post({ name: 'Mine' });
    const other = await service.createKey('other', 'internal');
    const headers = { Authorization: `Bearer ${other}` };
    const path = `/v1/subscriptions/${body.data.id}`;
    for (const [method, sent] of [['GET'], ['PUT', { name: 'Theirs' }], ['DELETE']] as const) {
      expect((await service.send(method, path, sent, { headers })).status).toBe(404);
    }
    expect((await service.get('/v1/events?subscription=Mine', { headers })).status).toBe(404);
    expect((await service.get(path)).body.data.name).toBe('Mine');
  });

  test('needs the write scope only to be changed', async () => {
    const reader = await service.createKey('test', 'internal', { scopes: ['stream:read'] });
    const headers = { Authorization: `Bearer ${reader}` };
    expect((await service.get('/v1/subscriptions', { headers })).status).toBe(200);
    expect((await post({ name: 'a' }, headers)).body.error.code).toBe('insufficient_scope');
  });
});

describe('Idempotency-Key', () => {
  test('makes equal requests save once and get the same answer, even if many arrive at once', async () => {
    const headers = { 'Idempotency-Key': 'order-1' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(NEWSPAPERS, headers)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await service.get('/v1/subscriptions')).body.data).toHaveLength(1);
  });

  test('reused for another request is a conflict', async () => {
    const headers = { 'Idempotency-Key': 'order-2' };
    await post({ name: 'a' }, headers);
    expect((await post({ name: 'b' }, headers)).body.error.code).toBe('conflict');
  });

  test.each(['', 'two words', 'x'.repeat(256)])('%j is refused, and nothing is saved', async (key) => {
    const { status, body } = await post({ name: 'a' }, { 'Idempotency-Key': key });
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toContain('1 to 255 printable ASCII characters');
    expect((await service.get('/v1/subscriptions')).body.data).toEqual([]);
  });

  test('that is used again after a day saves another subscription, once', async () => {
    const headers = { 'Idempotency-Key': 'order-6' };
    await post({ name: 'a' }, headers);
    await client.query(`UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second'`);
    const answers = [await post({ name: 'b' }, headers), await post({ name: 'b' }, headers)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[0]?.body.data.name).toBe('b');
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect((await service.get('/v1/subscriptions')).body.data).toHaveLength(2);
  });

  test('is deleted after a day, for any account, when others are saved', async () => {
    const other = await service.createKey('other', 'internal');
    const headers = { 'Idempotency-Key': 'order-3' };
    await post({ name: 'a' }, headers);
    await post({ name: 'a' }, { ...headers, Authorization: `Bearer ${other}` });
    await post({ name: 'kept' }, { 'Idempotency-Key': 'order-4' });
    await client.query(
      `UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second' WHERE key = 'order-3'`,
    );
    await post({ name: 'b' }, { 'Idempotency-Key': 'order-5' });
    const { rows } = await client.query('SELECT key FROM idempotency_keys ORDER BY key');
    expect(rows.map(({ key }) => key)).toEqual(['order-4', 'order-5']);
    expect((await post({ name: 'c' }, headers)).status).toBe(201);
  });
});

describe('a stream by subscription', () => {
  test('delivers the changes that match its filter, and names it in the ready event', async () => {
    const { body } = await post(NEWSPAPERS);
    const stream = await service.stream('subscription=Newspapers');
    try {
      expect((await stream.wait('ready', 1))[0]?.data).toEqual({ subscription: 'Newspapers' });
      await service.submit([
        endorse('bakers-local-1', 'mayor', 'ann'),
        endorse('coast-gazette', 'mayor', 'bob'),
      ]);
      const [event] = await stream.wait('endorsement', 1);
      expect(event?.data.endorser.slug).toBe('coast-gazette');
      const byId = await service.events(`from=earliest&subscription=${body.data.id}`);
      expect(byId.data.map(({ id }) => id)).toEqual([event?.id]);
    } finally {
      stream.close();
    }
  });

  test('excludes filter parameters and must exist', async () => {
    await post(NEWSPAPERS);
    const both = await service.get('/v1/events?subscription=Newspapers&states=CA');
    expect([both.status, both.body.error.code]).toEqual([400, 'invalid_parameter']);
    const unknown = await service.get('/v1/events?subscription=Nothing');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'subscription_not_found']);
  });
});
