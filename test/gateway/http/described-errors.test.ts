/** Every described error of an operation occurs, so that clients handle none in vain. */
import { beforeAll, expect, test } from '@jest/globals';
import { createOpenApi } from '../../../gateway/http/openapi.ts';
import type { Route } from '../../../gateway/http/route.ts';
import { routes } from '../../../gateway/routes/index.ts';
import { ERROR_STATUS, type ErrorCode } from '../../../schemas/errors.ts';
import {
  type ExampleRequest,
  exampleCatalogue,
  examplePublisher,
  exampleRequests,
  exampleSubmissions,
} from '../../helpers/http/example-requests.ts';
import { ErrorProvoker } from '../../helpers/http/provoked-errors.ts';
import { importPeople } from '../../helpers/officeholders/import-people.ts';
import { person, personId, role } from '../../helpers/officeholders/people-checkout.ts';
import { useTestService } from '../../helpers/service/service.ts';

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>;
  components: {
    responses: Record<
      string,
      { content: { 'application/json': { schema: { properties: { error: Narrowed } } } } }
    >;
  };
}

interface Narrowed {
  properties: { code: { enum: ErrorCode[] } };
}

const { paths, components } = createOpenApi(routes) as unknown as Described;
const service = useTestService({ catalogue: exampleCatalogue(), gatewayConfig: { today: '2026-10-01' } });
const provoker = new ErrorProvoker(service);
const RECEIVER = 'https://hooks.example.org/';
let requests: Readonly<Record<string, ExampleRequest>>;

function describedCodes({ path, method }: Route): ErrorCode[] {
  const responses = Object.values(paths[path]?.[method.toLowerCase()]?.responses ?? {});
  return responses.flatMap(({ $ref }) => {
    const answer = components.responses[$ref?.split('/').at(-1) ?? ''];
    return answer?.content['application/json'].schema.properties.error.properties.code.enum ?? [];
  });
}

async function expectError(route: Route, code: ErrorCode): Promise<void> {
  const request = requests[route.operationId] ?? {};
  const { status, body } = await provoker.provoke(code, { route, request });
  expect([code, status, body?.error.code]).toEqual([code, ERROR_STATUS[code], code]);
}

/** The errors that end when officeholders are loaded come first. */
const neverLoaded = routes.filter((route) => describedCodes(route).includes('not_available'));

beforeAll(async () => {
  await service.submit(exampleSubmissions());
  const [event] = await service.eventsOnceThereAre(1);
  const saved = await service.send('POST', '/v1/subscriptions', { name: 'All' });
  const webhook = await service.send('POST', '/v1/webhooks', { name: 'All', url: RECEIVER });
  await service.allow([examplePublisher()]);
  requests = exampleRequests({
    contest: event.contest.id,
    endorsement: event.endorsement.id,
    endorser: event.endorser.slug,
    officeholder: personId(1),
    subscription: Number(saved.headers.get('location')?.split('/').at(-1)),
    submissions: 1,
    webhook: webhook.body.data.id,
    receiver: RECEIVER,
  });
  for (const route of neverLoaded) await expectError(route, 'not_available');
  await importPeople(service.databaseUrl, {
    'me/legislature/ann.yml': person(1, 'Ann', [role('lower', 'state:me', { district: 7 })]),
  });
});

test('not_available is described for officeholders and webhooks alone', () => {
  expect(new Set(neverLoaded.map(({ tag }) => tag))).toEqual(new Set(['Officeholders', 'Webhooks']));
});

test.each(routes.map((route) => [route.operationId, route] as const))(
  '%s answers with every described error',
  async (_, route) => {
    const codes = describedCodes(route).filter((code) => code !== 'not_available');
    expect(codes.length).toBeGreaterThan(10);
    for (const code of codes) await expectError(route, code);
  },
);
