import { expect, test } from '@jest/globals';
import pg from 'pg';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService();

/** A member of a new account. */
async function makeMember(): Promise<ConsoleClient> {
  const account = `account ${Math.random()}`;
  await service.createKey(account, 'internal');
  return ConsoleClient.signIn(service, { account, role: 'member' });
}

const SAVED = '/console/subscriptions?done=saved';

/** A client's subscriptions from the API. */
async function list(client: ConsoleClient): Promise<{ id: number; name: string; filter: object }[]> {
  return JSON.parse((await client.get('/console/api/v1/subscriptions')).html).data;
}

const EVERY_FIELD = {
  categories: ['labor', 'newspaper'],
  endorsers: ['bakers-local-1', 'coast-gazette'],
  endorser_states: ['OR', 'national'],
  states: ['OR', 'CA'],
  elections: ['or-2026-11-03-general'],
  contest_kinds: ['candidate'],
  levels: ['city'],
  types: ['created', 'updated'],
};

/** A form in which open fields are texts, and closed ones boxes. */
const FORM = {
  ...EVERY_FIELD,
  endorsers: ' bakers-local-1, coast-gazette ',
  elections: 'or-2026-11-03-general',
};

test('a member saves a filter of all fields, changes it and deletes it', async () => {
  const client = await makeMember();
  expect((await client.get('/console/subscriptions')).html).toContain('There are none yet');
  const made = await client.post('/console/subscriptions', { name: 'Everything', ...FORM });
  expect([made.status, made.location]).toEqual([303, SAVED]);
  const [saved] = await list(client);
  expect(saved).toMatchObject({ name: 'Everything', filter: EVERY_FIELD });
  const path = `/console/subscriptions/${saved?.id}`;

  const form = (await client.get(path)).html;
  for (const value of ['labor', 'national', 'CA', 'candidate', 'city', 'updated']) {
    expect(form).toMatch(new RegExp(`value="${value}" checked`));
  }
  expect(form).not.toMatch(/value="WY" checked/);
  expect(form).toContain('value="bakers-local-1, coast-gazette"');
  expect(form).toContain('value="Everything"');

  expect((await client.post(path, { name: 'Oregon', states: ['OR'] })).location).toBe(SAVED);
  expect(await list(client)).toMatchObject([{ name: 'Oregon', filter: { states: ['OR'] } }]);
  const { html } = await client.get(SAVED);
  expect(html).toContain('The subscription is saved');
  expect(html).toContain(`href="/console/live?subscription=${saved?.id}"`);
  expect(html).toContain(`${service.url('')}/v1/stream?subscription=${saved?.id}`);

  expect((await client.get(`${path}/delete`)).html).toContain('Delete Oregon?');
  expect(await list(client)).toHaveLength(1);
  expect((await client.post(`${path}/delete`)).location).toBe('/console/subscriptions?done=deleted');
  expect(await list(client)).toEqual([]);
  expect((await client.post(`${path}/delete`)).status).toBe(404);
});

test.each([
  ['no name', { name: '', states: ['OR'] }, 'name must be text of 1 to 100 characters'],
  ['a name that reads as an id', { name: '77', states: ['OR'] }, 'not all digits'],
  ['an unknown state', { name: 'a', states: ['OR', 'XX'] }, 'is &quot;XX&quot;'],
  ['an unknown endorser', { name: 'a', states: ['OR'], endorsers: 'nobody' }, 'no endorser has that slug'],
  ['a name that is taken', { name: 'Taken', states: ['OR'] }, 'already has a subscription named'],
])('a form with %s is shown again with the reason and its values', async (_what, fields, reason) => {
  const client = await makeMember();
  await client.post('/console/subscriptions', { name: 'Taken' });
  await client.post('/console/subscriptions', { name: 'Other' });
  const other = (await list(client)).find(({ name }) => name === 'Other')?.id;
  for (const path of ['/console/subscriptions', `/console/subscriptions/${other}`]) {
    const refused = await client.post(path, fields);
    expect(refused.status).toBe(400);
    expect(refused.html).toContain(reason);
    expect(refused.html).toMatch(/value="OR" checked/);
    for (const value of Object.values<string | string[]>(fields).flat().filter(Boolean)) {
      expect(refused.html).toContain(`value="${value}"`);
    }
  }
  // The same values are stored, but as another subscription.
  expect((await client.post(`/console/subscriptions/${other}`, { name: 'Taken' })).status).toBe(400);
  expect((await list(client)).map(({ name }) => name).sort()).toEqual(['Other', 'Taken']);
});

test('subscriptions of another account do not exist', async () => {
  const owner = await makeMember();
  await owner.post('/console/subscriptions', { name: 'Mine' });
  const [mine] = await list(owner);
  const stranger = await makeMember();
  for (const id of [mine?.id, '0', 'x', '99999999999999999999', '1e3']) {
    const path = `/console/subscriptions/${id}`;
    expect((await stranger.get(path)).status).toBe(404);
    expect((await stranger.get(`${path}/delete`)).status).toBe(404);
    expect((await stranger.post(path, { name: 'Yours' })).status).toBe(404);
    expect((await stranger.post(`${path}/delete`)).status).toBe(404);
  }
  expect((await stranger.get('/console/subscriptions')).html).not.toContain('Mine');
  expect(await list(owner)).toMatchObject([{ name: 'Mine' }]);
});

/** The hidden field with the version that the form's page has shown. */
const versionIn = (html: string): string => /name="version" value="([^"]+)"/.exec(html)?.[1] ?? '';

test("if two members edit a subscription, the second sees the first one's values, and decides", async () => {
  const client = await makeMember();
  await client.post('/console/subscriptions', { name: 'Ours', states: ['OR'] });
  const [made] = await list(client);
  const path = `/console/subscriptions/${made?.id}`;
  const version = versionIn((await client.get(path)).html);
  const theirs = { name: 'Theirs', states: ['CA'], elections: 'or-2026-11-03-general' };
  expect((await client.post(path, { version, ...theirs })).status).toBe(303);

  const mine = { name: 'Mine', states: ['OR', 'WY'], endorsers: 'bakers-local-1' };
  const wrong = await client.post(path, { version, ...mine, name: '' });
  expect(versionIn(wrong.html)).toBe(version);
  const refused = await client.post(path, { version, ...mine });
  expect(refused.status).toBe(409);
  expect(refused.html).toMatch(/role="alert">The subscription has been changed in the meantime/);
  expect(refused.html).toContain('<dd>Theirs</dd>');
  expect(refused.html).toContain('<dd>States: CA; Elections: or-2026-11-03-general</dd>');
  for (const kept of ['value="Mine"', 'value="WY" checked', 'value="bakers-local-1"']) {
    expect(refused.html).toContain(kept);
  }
  expect(await list(client)).toMatchObject([{ name: 'Theirs' }]);

  expect((await client.post(path, { version: versionIn(refused.html), ...mine })).location).toBe(SAVED);
  expect(await list(client)).toMatchObject([{ name: 'Mine' }]);
});

test('a form that was sent twice saves once, and says so both times', async () => {
  const client = await makeMember();
  // The service keeps a name in its one form.
  const fields = { name: ' Ours ', states: ['OR'], contest_kinds: ['measure'] };
  for (const _ of [1, 2]) expect((await client.post('/console/subscriptions', fields)).location).toBe(SAVED);
  const [made, ...others] = await list(client);
  expect(others).toEqual([]);
  const path = `/console/subscriptions/${made?.id}`;
  const version = versionIn((await client.get(path)).html);
  const edit = { ...fields, version, name: 'All  mine', levels: ['city'] };
  for (const _ of [1, 2]) expect((await client.post(path, edit)).location).toBe(SAVED);
});

test('of many concurrent saves of a subscription, one succeeds', async () => {
  const client = await makeMember();
  await client.post('/console/subscriptions', { name: 'Ours' });
  const path = `/console/subscriptions/${(await list(client))[0]?.id}`;
  const csrf = await client.formToken();
  const version = versionIn((await client.get(path)).html);
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => client.post(path, { csrf, version, name: `Save ${index}` })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(5).fill(409)]);
});

test('a subscription deleted during editing can be made again', async () => {
  const client = await makeMember();
  await client.post('/console/subscriptions', { name: 'Ours' });
  const path = `/console/subscriptions/${(await list(client))[0]?.id}`;
  const version = versionIn((await client.get(path)).html);
  await client.post(`${path}/delete`);
  const refused = await client.post(path, { version, name: 'Mine', states: ['WY'] });
  expect(refused.status).toBe(404);
  expect(refused.html).toMatch(/role="alert">The subscription has been deleted in the meantime/);
  expect(refused.html).toContain('action="/console/subscriptions"');
  expect(refused.html).toContain('value="Mine"');
  expect(refused.html).toMatch(/value="WY" checked/);
});

test("the list has the number of the last day's events that match each filter", async () => {
  const client = await makeMember();
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann'),
    endorse('nation-herald', 'mayor', 'ann'),
    endorse('coast-gazette', 'prop-1', 'yes'),
  ]);
  await service.eventsOnceThereAre(3);
  await client.post('/console/subscriptions', { name: 'All', types: ['created', 'updated', 'deleted'] });
  await client.post('/console/subscriptions', { name: 'Ore', states: ['OR'], types: ['created'] });
  await client.post('/console/subscriptions', { name: 'None', types: ['deleted'] });
  let html = '';
  await until('the counts', async () => {
    html = (await client.get('/console/subscriptions')).html;
    return !html.includes('data-counting');
  });
  const counts = [
    ...html.matchAll(/<th scope="row">(\w+) <[\s\S]*?class="number" data-count="\d+">([^<]*)</g),
  ];
  expect(counts.map(([, name, count]) => [name, count])).toEqual([
    ['All', '3'],
    ['Ore', '2'],
    ['None', '0'],
  ]);
});

test('a slow count in the database does not delay the list', async () => {
  const client = await makeMember();
  await client.post('/console/subscriptions', { name: 'Slow', types: ['updated'], levels: ['county'] });
  const db = new pg.Client({ connectionString: service.databaseUrl });
  await db.connect();
  // Every reader of the change log waits for this lock.
  await db.query('BEGIN; LOCK TABLE change_log IN ACCESS EXCLUSIVE MODE');
  const { status, html } = await client.get('/console/subscriptions');
  expect(status).toBe(200);
  expect(html).toContain('data-counting');
  await db.query('ROLLBACK');
  await db.end();
  await until('the count', async () =>
    /data-count="\d+">0</.test((await client.get('/console/subscriptions')).html),
  );
});
