import { expect, test } from '@jest/globals';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { EventStreamClient } from '../../helpers/stream/event-stream.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService();

/** The page's parameters for the stream. */
function queryOf(html: string): string {
  return (/data-query="([^"]*)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
}

test('the filter and the start are in the address', async () => {
  const client = await ConsoleClient.signIn(service, { role: 'member' });
  const { html } = await client.get(
    '/console/live?states=CA&states=OR&endorsers=nation-herald&start=since&since=2026-11-22T10:00',
  );
  expect(queryOf(html)).toBe('states=CA%2COR&endorsers=nation-herald&since=2026-11-22T10%3A00%3A00Z');
  expect(html).toMatch(/name="states" value="CA" checked/);
  expect(html).toMatch(/name="start" value="since" checked/);
  expect(html).toContain('States: CA, OR; Endorsers: nation-herald, since 2026-11-22T10:00');
  expect(queryOf((await client.get('/console/live')).html)).toBe('from=latest');
});

test("INV-15: the page's stream is not one of the plan's, and a second one of the session replaces it", async () => {
  const key = await service.createKey('small', 'free');
  const client = await ConsoleClient.signIn(service, { account: 'small' });
  expect((await client.get('/console/live')).html).toContain('not one of the open streams of your plan');
  const watch = () =>
    EventStreamClient.open(service.url('/console/api/v1/stream'), {
      Cookie: `bes_session=${client.cookie('bes_session')}`,
    });
  const program = await service.stream('', { headers: { Authorization: `Bearer ${key}` } });
  const page = await watch();
  expect([program.response.status, page.response.status]).toEqual([200, 200]);
  const second = await watch();
  await until('the first page has ended', () => page.ended);
  expect(page.of('error').at(-1)?.data.code).toBe('too_many_streams');
  expect([program.ended, second.ended]).toEqual([false, false]);
  for (const stream of [program, second]) stream.close();
});

test('without scripts the page shows events of the filter, and a link to later ones', async () => {
  const client = await ConsoleClient.signIn(service);
  await service.submit([endorse('nation-herald', 'mayor', 'ann'), endorse('coast-gazette', 'prop-1', 'yes')]);
  await service.eventsOnceThereAre(2);
  expect((await client.get('/console/live')).html).not.toContain('Nation Herald');
  for (const start of ['latest', 'earliest']) {
    const { html } = await client.get(`/console/live?states=OR&start=${start}&show=events`);
    expect(html).toContain('Nation Herald');
    expect(html).not.toContain('Coast Gazette');
    const later = /href="([^"]*show=events)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await client.get(later)).html).toContain('There are none');
  }
});

test("without scripts the page shows the API's message for a refused filter", async () => {
  const client = await ConsoleClient.signIn(service);
  const { status, html } = await client.get('/console/live?endorsers=nobody&show=events');
  expect(status).toBe(200);
  expect(html).toContain('no endorser has that slug');
});

test('a watched filter can be saved as a subscription, which can be watched', async () => {
  const client = await ConsoleClient.signIn(service);
  const { html } = await client.get('/console/live?states=CA,OR&types=created');
  const fields = [...html.matchAll(/type="hidden" name="(states|types)" value="([^"]*)"/g)];
  expect(fields.map(([, name, value]) => [name, value])).toEqual([
    ['states', 'CA,OR'],
    ['types', 'created'],
  ]);
  await client.post('/console/subscriptions', { name: 'Two states', states: 'CA,OR', types: 'created' });
  const id = JSON.parse((await client.get('/console/api/v1/subscriptions')).html).data[0].id;
  const watched = await client.get(`/console/live?subscription=${id}`);
  expect(queryOf(watched.html)).toBe(`subscription=${id}&from=latest`);
  expect(watched.html).toContain('“Two states”');
  const missing = await client.get('/console/live?subscription=999999&show=events');
  expect(missing.html).toContain('has no subscription &quot;999999&quot;');
});
