import { beforeAll, expect, test } from '@jest/globals';
import { routes } from '../../../gateway/routes/index.ts';
import { SCOPES, type Scope } from '../../../schemas/vocabulary.ts';
import { useTestService } from '../../helpers/service/service.ts';

/** The scope that each route needs. Reading subscriptions belongs to the stream, which uses them. */
const NEEDED: Record<string, Scope> = {
  'GET /v1/states': 'data:read',
  'GET /v1/elections': 'data:read',
  'GET /v1/endorser-categories': 'data:read',
  'GET /v1/endorsers': 'data:read',
  'GET /v1/endorsers/{slug}': 'data:read',
  'GET /v1/contests': 'data:read',
  'GET /v1/contests/{id}': 'data:read',
  'GET /v1/endorsements': 'data:read',
  'GET /v1/endorsements/{id}': 'data:read',
  'GET /v1/officeholders': 'data:read',
  'GET /v1/officeholders/{id}': 'data:read',
  'GET /v1/coverage': 'data:read',
  'GET /v1/digest': 'data:read',
  'GET /v1/recommendations': 'data:read',
  'GET /v1/events': 'stream:read',
  'GET /v1/stream': 'stream:read',
  'GET /v1/subscriptions': 'stream:read',
  'GET /v1/subscriptions/{id}': 'stream:read',
  'POST /v1/subscriptions': 'subscriptions:write',
  'PUT /v1/subscriptions/{id}': 'subscriptions:write',
  'DELETE /v1/subscriptions/{id}': 'subscriptions:write',
  'POST /v1/submissions': 'endorsements:write',
  'GET /v1/submissions/{id}': 'endorsements:write',
  'GET /v1/webhooks': 'webhooks:write',
  'POST /v1/webhooks': 'webhooks:write',
  'GET /v1/webhooks/{id}': 'webhooks:write',
  'PUT /v1/webhooks/{id}': 'webhooks:write',
  'DELETE /v1/webhooks/{id}': 'webhooks:write',
  'POST /v1/webhooks/{id}/secret': 'webhooks:write',
  'POST /v1/webhooks/{id}/test': 'webhooks:write',
  'POST /v1/webhooks/{id}/resume': 'webhooks:write',
};

const service = useTestService();
const keys = new Map<Scope, string>();
beforeAll(async () => {
  for (const scope of SCOPES) {
    const account = scope.replace(':', '-');
    keys.set(scope, await service.createKey(account, 'internal', { scopes: [scope] }));
  }
});

/** Whether a key of one scope is refused for the lack of another. */
async function isRefused(route: string, scope: Scope): Promise<boolean> {
  const [method = '', path = ''] = route.split(' ');
  const ending = new AbortController();
  const response = await fetch(service.url(path.replace(/\{\w+\}/, '1')), {
    method,
    headers: { Authorization: `Bearer ${keys.get(scope)}` },
    signal: ending.signal,
  });
  const refused = response.status === 403;
  if (refused) expect(await response.json()).toMatchObject({ error: { code: 'insufficient_scope' } });
  ending.abort();
  return refused;
}

test('the table names every route', () => {
  expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(NEEDED).sort());
});

test.each(Object.entries(NEEDED))('%s needs the scope %s, and no other is enough', async (route, needed) => {
  for (const scope of SCOPES)
    expect([scope, await isRefused(route, scope)]).toEqual([scope, scope !== needed]);
});
