import { beforeAll, expect, test } from '@jest/globals';
import { routes } from '../../../gateway/routes/index.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { importPeople } from '../../helpers/officeholders/import-people.ts';
import { person, personId, role } from '../../helpers/officeholders/people-checkout.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
const addresses = new Map<string, string>([
  ['/v1/endorsers/{slug}', '/v1/endorsers/bakers-local-1'],
  ['/v1/officeholders/{id}', `/v1/officeholders/${personId(1)}`],
  ['/v1/recommendations', '/v1/recommendations?election=or-2026-11-03-general'],
]);

beforeAll(async () => {
  await importPeople(service.databaseUrl, {
    'or/legislature/ann.yml': person(1, 'Ann', [role('lower', 'state:or', { district: 7 })]),
  });
  await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
  const [event] = await service.eventsOnceThereAre(1);
  addresses.set('/v1/endorsements/{id}', `/v1/endorsements/${event.endorsement.id}`);
  addresses.set('/v1/contests/{id}', `/v1/contests/${event.contest.id}`);
  const saved = await service.send('POST', '/v1/subscriptions', { name: 'All' });
  addresses.set('/v1/subscriptions/{id}', saved.headers.get('location') ?? '');
  const webhook = await service.send('POST', '/v1/webhooks', {
    name: 'All',
    url: 'https://hooks.example.org/',
  });
  addresses.set('/v1/webhooks/{id}', webhook.headers.get('location') ?? '');
  await service.allow(['bakers-local-1']);
  const contest = 'or-2026-11-03-general/mayor';
  const submissions = [{ endorser: 'bakers-local-1', contest, choice: 'ann' }];
  const published = await service.send('POST', '/v1/submissions', { submissions });
  const location = published.headers.get('location') ?? '';
  await service.get(`${location}?wait=25`);
  addresses.set('/v1/submissions/{id}', location);
});

/** The status of a request with If-None-Match. `fetch` adds that caches must not answer it. */
async function statusWithTag(path: string, tag: string): Promise<number> {
  const headers = { Authorization: `Bearer ${service.key}`, 'If-None-Match': tag };
  const response = await fetch(service.url(path), { headers });
  await response.body?.cancel();
  return response.status;
}

/** The responses and parameters that the description gives a GET request. */
async function describedGet(path: string) {
  const { body } = await service.get('/openapi.json');
  const { responses, parameters } = body.paths[path].get;
  const names = parameters.map(({ name }: { name: string }) => name);
  return { status: '304' in responses, header: names.includes('If-None-Match') };
}

// A stream does not end, so it is not asked twice.
const READS = routes.filter(({ method, response }) => method === 'GET' && response !== null);

test.each(READS.map(({ path }) => path))('304 is described for %s only if it is answered', async (path) => {
  const asked = addresses.get(path) ?? path;
  const first = await service.get(asked);
  expect(first.status).toBe(200);
  const etag = first.headers.get('etag');
  expect(await statusWithTag(asked, etag ?? '*')).toBe(etag === null ? 200 : 304);
  expect(await describedGet(path)).toEqual({ status: etag !== null, header: etag !== null });
});

test('304 is not described for the stream', async () => {
  expect(await describedGet('/v1/stream')).toEqual({ status: false, header: false });
});
