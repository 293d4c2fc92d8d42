import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import type { CreateKeyOptions } from '../../../ops/commands/keys.ts';
import { generateApiKey } from '../../../schemas/api-key.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService();
const client = useClient(service.databaseUrl);

const ask = (path: string, key: string) => service.get(path, { headers: { Authorization: `Bearer ${key}` } });
const newKey = (options: Partial<CreateKeyOptions> = {}) =>
  service.createKey('app-test', 'internal', options);

describe('GET /v1/states', () => {
  test('lists the 56 states with their FIPS codes', async () => {
    const { status, body } = await service.get('/v1/states');
    expect(status).toBe(200);
    expectSchema('/v1/states', body);
    expect(body.data).toHaveLength(56);
    expect(body.data).toContainEqual({ code: 'VI', fips: '78', name: 'Virgin Islands' });
  });

  test('takes no parameter', async () => {
    const { status, body } = await service.get('/v1/states?limit=3');
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toBe('There is no parameter "limit" here. This endpoint takes none.');
  });
});

describe('an API key', () => {
  test.each([
    ['', 'missing_api_key'],
    ['Basic abc', 'invalid_api_key'],
    ['Bearer', 'invalid_api_key'],
    ['Bearer bes_mistyped', 'invalid_api_key'],
    [`Bearer ${generateApiKey()}`, 'invalid_api_key'],
  ])('in the header %j is answered 401 %s', async (header, code) => {
    const { status, headers, body } = await service.get('/v1/states', { headers: { Authorization: header } });
    expect([status, body.error.code]).toEqual([401, code]);
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  test('that has expired or was revoked is answered 401 with a code of its own', async () => {
    const expired = await newKey({ expiresAt: new Date(Date.now() - 1000) });
    expect((await ask('/v1/states', expired)).body.error.code).toBe('expired_api_key');
    const key = await newKey();
    expect((await ask('/v1/states', key)).status).toBe(200);
    const body = '{"name":"late"}';
    const upload = request(service.url('/v1/subscriptions'), {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Expect: '100-continue' },
    });
    const uploaded = once(upload, 'response');
    upload.flushHeaders();
    // The request is accepted, and its body follows later.
    await once(upload, 'continue');
    upload.write(body.slice(0, 5));
    await client.query('UPDATE api_keys SET revoked_at = now() WHERE id = (SELECT max(id) FROM api_keys)');
    // Known keys are looked up again within seconds.
    await until('the revocation', async () => (await ask('/v1/states', key)).status !== 200, 5000);
    expect((await ask('/v1/states', key)).body.error.code).toBe('revoked_api_key');
    upload.end(body.slice(5));
    const [response] = await uploaded;
    expect(JSON.parse(await text(response)).error?.code).toBe('revoked_api_key');
  });

  test('without the scope, or of a suspended account, is answered 403', async () => {
    const reader = await newKey({ scopes: ['stream:read'] });
    const { status, body } = await ask('/v1/states', reader);
    expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
    expect(body.error.message).toBe('This needs the scope data:read; the API key has stream:read.');
    const suspended = await newKey({ account: 'suspended' });
    await client.query(`UPDATE accounts SET suspended_at = now() WHERE name = 'suspended'`);
    expect((await ask('/v1/states', suspended)).body.error.code).toBe('account_suspended');
  });
});

/** Requests a path as written; `fetch` would normalize it. */
function requestPath(path: string, key: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { port } = service.gateways[0] ?? {};
    const headers = { Authorization: `Bearer ${key}` };
    request({ port, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('every answer', () => {
  test("carries a request id, the client's own if it is sane", async () => {
    const own = await service.get('/v1/states', { headers: { 'X-Request-Id': 'trace-1.2:3' } });
    expect(own.headers.get('x-request-id')).toBe('trace-1.2:3');
    const odd = await service.get('/v1/nowhere', { headers: { 'X-Request-Id': 'a b"c' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(odd.body.error.request_id).toBe(odd.headers.get('x-request-id'));
  });

  test('for an unknown path is 404, and below /v1 needs a key', async () => {
    const { status, body } = await service.get('/v1/nowhere');
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect((await ask('/v1/nowhere', 'none')).status).toBe(401);
    expect((await ask('/elsewhere', 'none')).body.error.code).toBe('not_found');
  });

  test.each([
    '/V1/states',
    '/v1/STATES',
    '/V1/stream',
    '//v1/states',
    '/%761/states',
    '/v1%2Fstates',
    '/x/../V1/states',
  ])('for %s, which only resembles a path of the API, is 401 or 404', async (path) => {
    for (const key of ['none', service.key]) {
      const status = await requestPath(path, key);
      expect([401, 404]).toContain(status);
    }
  });

  test('to a method that is not allowed names the allowed ones', async () => {
    const response = await fetch(service.url('/v1/states'), {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}` },
    });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
  });

  test('to HEAD is that of GET without its body, also for the stream', async () => {
    for (const path of ['/v1/states', '/v1/stream']) {
      const headers = { Authorization: `Bearer ${service.key}` };
      const response = await fetch(service.url(path), { method: 'HEAD', headers });
      expect([path, response.status, await response.text()]).toEqual([path, 200, '']);
    }
  });

  test.each(['/healthz', '/readyz', '/openapi.json', '/docs'])(
    'to another method on %s names the allowed ones',
    async (path) => {
      const response = await fetch(service.url(path), { method: 'POST' });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
    },
  );

  test('ignores an unknown Expect header', async () => {
    const socket = connect(service.gateways[0]?.port ?? 0, '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK\r\n(.*\r\n)*X-Request-Id: /i);
  });

  test.each([
    ['hello\r\n\r\n', 'not well-formed'],
    [`GET /v1/states?q=${'x'.repeat(64 * 1024)} HTTP/1.1\r\nHost: a\r\n\r\n`, 'below 16 KB'],
  ])('to a malformed request has the error body too', async (request, message) => {
    const socket = connect(service.gateways[0]?.port ?? 0, '127.0.0.1');
    socket.write(request);
    const [head = '', body = '{}'] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(JSON.parse(body)).toEqual({
      error: {
        code: 'invalid_parameter',
        message: expect.stringContaining(message),
        request_id: expect.any(String),
      },
    });
  });
});

test('health and readiness need no key', async () => {
  expect((await ask('/healthz', 'none')).body).toEqual({ status: 'alive' });
  expect((await ask('/readyz', 'none')).body).toEqual({ status: 'ready' });
});
