import { describe, expect, jest, test } from '@jest/globals';
import { answerSignposts } from '../../../gateway/http/signposts.ts';
import { routes } from '../../../gateway/routes/index.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
const client = useClient(service.databaseUrl);

/** Sends a request, and returns its status, the code and the message of its error, and its data. */
async function ask(method: string, path: string, body?: object) {
  const answer = await service.send(method, path, body);
  const { error, data } = answer.body ?? {};
  return { status: answer.status, code: error?.code, message: error?.message, data };
}

/** The path of a route, with a value for each parameter. */
const pathOf = (path: string, value = '1') => path.replaceAll(/\{\w+\}/g, value);

describe('a path that ends in a slash is another path', () => {
  const PUBLIC = ['/healthz', '/readyz', '/openapi.json', '/docs', '/v1', '/v1/ballot', '/v1/districts/1'];
  test.each([
    ...routes.map(({ method, path }) => [method, pathOf(path)]),
    ...PUBLIC.map((path) => ['GET', path]),
  ])('%s %s/', async (method, path) => {
    expect(await ask(method as string, `${path}/`)).toMatchObject({
      status: 404,
      code: 'not_found',
      message: `There is nothing at ${path}/. No path ends in a slash.`,
    });
  });
});

describe('the message for an unknown path says where to look', () => {
  test.each([
    ['/v1/nowhere', 'There is nothing at /v1/nowhere. /openapi.json lists every endpoint.'],
    ['/v1', 'There is nothing at /v1. /openapi.json lists every endpoint.'],
    [
      '/v1/contests/1/choices',
      'There is nothing at /v1/contests/1/choices. /openapi.json lists every endpoint.',
    ],
    ['/v2/states', 'There is nothing at /v2/states. Endpoints begin with /v1; /openapi.json lists them.'],
    ['/v11', 'There is nothing at /v11. Endpoints begin with /v1; /openapi.json lists them.'],
    ['/', 'There is nothing at /. Endpoints begin with /v1; /openapi.json lists them.'],
  ])('%s', async (path, message) => {
    expect(await ask('GET', path)).toMatchObject({ status: 404, code: 'not_found', message });
  });
});

describe('a browser', () => {
  const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const follow = (path: string, headers: Record<string, string>, method = 'GET') =>
    fetch(service.url(path), { method, headers, redirect: 'manual' });

  test.each([
    ['/', '/console'],
    ['/console/', '/console'],
    ['/docs/', '/docs'],
  ])('is led from %s to %s, and other clients get JSON', async (path, target) => {
    const led = await follow(path, BROWSER);
    expect([led.status, led.headers.get('Location'), led.headers.get('Vary')]).toEqual([
      302,
      target,
      expect.stringContaining('Accept'),
    ]);
    for (const Accept of ['*/*', 'application/json'])
      expect((await follow(path, { Accept })).status).toBe(404);
    expect((await follow(path, BROWSER, 'POST')).status).not.toBe(302);
  });

  test('is led to the reference by a gateway without a console', async () => {
    const target = async (accept: string) => {
      const ctx = { method: 'GET', path: '/', vary: () => {}, accepts: () => accept, redirect: jest.fn() };
      await answerSignposts({ hasConsole: false })(ctx as never, async () => {});
      return ctx.redirect.mock.calls;
    };
    expect(await target('html')).toEqual([['/docs']]);
    expect(await target('json')).toEqual([]);
  });

  test('gets an icon for the reference, and a sentence without scripts', async () => {
    const icon = await follow('/docs/favicon-32x32.png', {});
    expect([icon.status, icon.headers.get('Content-Type')]).toEqual([200, 'image/png']);
    const page = await follow('/docs', BROWSER);
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toContain('<noscript>');
    expect((await follow('/openapi.json', {})).headers.get('Content-Type')).toBe(
      'application/json; charset=utf-8',
    );
  });
});

describe('bad percent-encoding is 400 everywhere', () => {
  test.each([
    ...routes.map(({ method, path }) => [method, `${pathOf(path, '%zz')}?a=%zz`]),
    ['GET', '/v1/endorsers/%zz'],
    ['GET', '/v1/endorsers/%'],
    ['GET', '/v1/endorsers/a%C3'],
    ['GET', '/v1/contests/1%2'],
    ['GET', '/v1/nowhere/%zz'],
    ['GET', '/v1/nowhere?a=%zz'],
    ['POST', '/v1/states?%ED%A0%80'],
    ['GET', '/%zz'],
    ['GET', '/docs?%zz'],
    ['GET', '/openapi.json?%'],
    ['GET', '/healthz?a=%FF'],
  ])('%s %s', async (method, path) => {
    const { status, code, message } = await ask(method as string, path as string);
    expect([status, code]).toEqual([400, 'invalid_parameter']);
    expect(message).toContain('is not percent-encoded UTF-8');
  });

  test('but below /v1 it needs a key first', async () => {
    const { status } = await service.get('/v1/%zz', { headers: { Authorization: '' } });
    expect(status).toBe(401);
  });

  test('and good percent-encoding is decoded', async () => {
    expect((await ask('GET', '/v1/endorsers/%62akers-local-1')).status).toBe(200);
    expect((await ask('GET', '/v1/endorsers/caf%C3%A9%25')).message).toBe('There is no endorser café%.');
  });
});

describe('an unused id', () => {
  const UNUSED = [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 1e15, 2 ** 53 - 1, 2 ** 53].map(String);
  const ID_ROUTES = routes.filter(
    ({ path, parameters }) => path.includes('{id}') && !('pattern' in (parameters?.id ?? {})),
  );

  const BODIES: Record<string, object> = {
    'PUT /v1/subscriptions/{id}': { name: 'a' },
    'PUT /v1/webhooks/{id}': { name: 'a', url: 'https://hooks.example.org/' },
    'POST /v1/webhooks/{id}/resume': {},
  };

  test('is a 404 for a single record', async () => {
    expect(ID_ROUTES).toHaveLength(12);
    for (const { method, path } of ID_ROUTES) {
      for (const id of UNUSED) {
        const answer = await ask(method, pathOf(path, id), BODIES[`${method} ${path}`]);
        expect([method, path, id, answer.status]).toEqual([method, path, id, 404]);
      }
    }
  });

  test('is an empty page in a list', async () => {
    for (const id of UNUSED) {
      const listed = await ask('GET', `/v1/endorsements?contest=${id}`);
      expect([listed.status, listed.data]).toEqual([200, []]);
      const { status, data } = await ask('GET', `/v1/recommendations?contest=${id}`);
      expect([status, data?.elections]).toEqual([200, []]);
    }
  });

  test.each(['/v1/events', '/v1/stream', '/v1/recommendations?state=OR'])(
    'is no subscription of %s',
    async (path) => {
      for (const id of UNUSED) {
        const answer = await ask('GET', `${path}${path.includes('?') ? '&' : '?'}subscription=${id}`);
        expect([id, answer.status, answer.code]).toEqual([id, 404, 'subscription_not_found']);
      }
    },
  );

  test('beyond 2^53 is a 400', async () => {
    for (const id of ['9007199254740993', '9007199254740994', '99999999999999999']) {
      for (const { method, path } of ID_ROUTES) {
        const answer = await ask(method, pathOf(path, id), BODIES[`${method} ${path}`]);
        expect([id, answer.status, answer.code]).toEqual([id, 400, 'invalid_parameter']);
      }
      expect((await ask('GET', `/v1/endorsements?contest=${id}`)).status).toBe(400);
    }
  });

  test('can be assigned later, even if ids have become large', async () => {
    await client.query('ALTER TABLE subscriptions ALTER COLUMN id RESTART WITH 2147483647');
    const created = await ask('POST', '/v1/subscriptions', { name: 'Late' });
    expect(created.data.id).toBe(2_147_483_647);
    expect((await ask('GET', '/v1/events?subscription=2147483647')).status).toBe(200);
    expect((await ask('GET', '/v1/subscriptions/2147483647')).data.name).toBe('Late');
  });
});
