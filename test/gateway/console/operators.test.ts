import { createServer, type Socket } from 'node:net';
import { beforeEach, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { loadHops } from '../../../gateway/console/operators/hops.ts';
import { systemClock } from '../../../service/clock.ts';
import { loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { endorser } from '../../helpers/ballots/catalogue-records.ts';
import { EARLIER, LATER, rejectAtSameOrigin } from '../../helpers/ballots/same-origin.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { listen } from '../../helpers/servers/listen.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService({ roles: ['apply', 'relay', 'deliver'] });
let operator: ConsoleClient;

beforeEach(async () => {
  operator = await ConsoleClient.signIn(service, { role: 'operator', person: 'olga' });
});

const statusWith = async (key: string): Promise<number> =>
  (await service.get('/v1/states', { headers: { Authorization: `Bearer ${key}` } })).status;

/** An account with a key, and the path of its page. */
async function makeAccount(): Promise<{ account: string; key: string; page: string }> {
  const account = `account ${Math.random()}`;
  const key = await service.createKey(account, 'free');
  const [row] = await service.query('SELECT id FROM accounts WHERE name = $1', [account]);
  return { account, key, page: `/console/operator/accounts/${row?.id}` };
}

const auditOf = (account: string) =>
  service.query(
    `SELECT l.action, l.person FROM audit_log l JOIN accounts a ON a.id = l.account_id
     WHERE a.name = $1 AND l.person IS NOT NULL ORDER BY l.id`,
    [account],
  );

test('an operator makes a link that signs somebody in to an account once', async () => {
  const { account, page } = await makeAccount();
  expect((await operator.get(page)).html).toContain('Make a link');
  const { html } = await operator.post(`${page}/link`, { person: 'Bo', role: 'editor' });
  const link = /\/console\/links\/[A-Za-z0-9_-]+/.exec(html)?.[0] ?? '';
  const bo = new ConsoleClient(service);
  await bo.post(link);
  expect((await bo.get('/console/account')).html).toContain(account);
  expect((await bo.get('/console/account')).html).toContain('Bo · editor');
  expect(await auditOf(account)).toContainEqual({ action: 'link.created', person: 'olga' });
  const again = new ConsoleClient(service);
  expect((await again.post(link)).status).toBeGreaterThanOrEqual(400);
});

test.each([
  [{ person: ' ', role: 'owner' }, 'The name must have 1 to 100 characters'],
  [{ person: 'Bo', role: 'operator' }, 'The role must be one of member, editor, owner'],
])('a link of %j is refused', async (values, words) => {
  const { page, account } = await makeAccount();
  const { status, html } = await operator.post(`${page}/link`, values);
  expect([status, html.includes(words)]).toEqual([400, true]);
  expect(await auditOf(account)).toEqual([]);
});

test('pages of an account say to an operator which account they show, and lead back', async () => {
  const { html } = await operator.get('/console/keys');
  expect(html).toMatch(/You are looking at test\. <a href="\/console\/operator\/accounts">/);
  expect((await operator.get('/console/operator/plans')).html).not.toContain('You are looking at');
  const owner = await ConsoleClient.signIn(service, { role: 'owner' });
  expect((await owner.get('/console/keys')).html).not.toContain('You are looking at');
});

test('an operator suspends and resumes an account, and the audit log names the operator', async () => {
  const { account, key, page } = await makeAccount();
  expect((await operator.get('/console/operator/accounts?q=ACCOUNT')).html).toContain(account);
  expect((await operator.get(page)).html).not.toContain(`action="${page}/suspend"`);
  const asked = (await operator.get(`${page}/suspend`)).html;
  expect(asked).toMatch(/its streams and webhooks stop.*Keep it in use/s);
  expect(await statusWith(key)).toBe(200);
  expect((await operator.post(`${page}/suspend`)).location).toBe(`${page}?done=suspended`);
  await until('the key is refused', async () => (await statusWith(key)) === 403);
  expect((await operator.get(page)).html).toContain('Resume the account');
  await operator.post(`${page}/resume`);
  await until('the key works', async () => (await statusWith(key)) === 200);
  expect(await auditOf(account)).toEqual([
    { action: 'account.suspended', person: 'olga' },
    { action: 'account.resumed', person: 'olga' },
  ]);
});

test('an operator sees which accounts use most, are refused most, and what one of them uses', async () => {
  const made = await Promise.all([makeAccount(), makeAccount()]);
  await service.query(
    `INSERT INTO usage_hours (account_id, hour, route, status, requests)
     SELECT a.id, date_trunc('hour', now()), '/v1/states', status, requests
     FROM accounts a JOIN (VALUES ($1, 200, 900001), ($2, 429, 800001)) AS u (name, status, requests) USING (name)`,
    made.map(({ account }) => account),
  );
  const order = async (query: string) => {
    const { html } = await operator.get(`/console/operator/usage${query}`);
    return made.map(({ account }) => html.indexOf(`>${account}<`));
  };
  const [busy = -1, limited = -1] = await order('');
  expect([busy > 0, limited > busy]).toEqual([true, true]);
  const [second = -1, first = -1] = await order('?by=limited&days=1&page=x');
  expect([first > 0, second > first]).toEqual([true, true]);
  const id = made[0]?.page.split('/').at(-1);
  const { html } = await operator.get(`/console/operator/usage/${id}`);
  expect(html).toMatch(/<code>\/v1\/states<\/code><\/th><td class="number">900,001</);
  expect((await operator.get('/console/operator/usage/999999')).status).toBe(404);
});

test('an operator makes an account, moves it to another plan and opens it', async () => {
  const name = `made ${Math.random()}`;
  const made = await operator.post('/console/operator/accounts', { name, plan: 'free' });
  expect(made.status).toBe(303);
  expect((await operator.get(made.location)).html).not.toContain('already');
  const again = await operator.post('/console/operator/accounts', { name: ` ${name}`, plan: 'free' });
  expect((await operator.get(again.location)).html).toContain('There was an account of this name already');
  expect((await operator.post(`${made.location}/plan`, { plan: 'standard' })).status).toBe(303);
  expect((await operator.post(`${made.location}/plan`, { plan: 'gold' })).html).toContain(
    'no plan &quot;gold&quot;',
  );
  const own = await ConsoleClient.signIn(service, { role: 'operator' });
  const id = made.location.split('/').at(-1) ?? '';
  const csrf = await own.formToken();
  expect((await own.post('/console/account', { account: id })).location).toBe('/console');
  // Forms of operators, and the choice of an account, do the same whatever account the console shows.
  const late = { csrf, account: id, plan: 'standard' };
  expect((await own.post(`${made.location}/plan`, late)).location).toBe(`${made.location}?done=plan`);
  expect((await own.post('/console/account', late)).location).toBe('/console');
  expect((await own.get('/console/account')).html).toContain(
    `<strong>${name}</strong>, on the plan standard`,
  );
  expect(await auditOf(name)).toMatchObject([
    { action: 'account.created', person: 'olga' },
    { action: 'account.plan_changed', person: 'olga' },
  ]);
});

test('an operator edits a plan, whose limits hold within seconds', async () => {
  const { key } = await makeAccount();
  const limits = { requestsPerMinute: '77', requestsPerDay: '', maxStreams: '2' };
  expect((await operator.post('/console/operator/plans/free', limits)).status).toBe(303);
  await until('the limit holds', async () => {
    const { headers } = await service.get('/v1/states', { headers: { Authorization: `Bearer ${key}` } });
    return headers.get('RateLimit-Limit') === '77' && !headers.has('X-Daily-Limit');
  });
  expect((await operator.get('/console/operator/plans')).html).toContain('value="77"');
  const wrong = { ...limits, maxStreams: '0' };
  expect((await operator.post('/console/operator/plans/free', wrong)).status).toBe(400);
  expect((await operator.post('/console/operator/plans/gold', limits)).status).toBe(404);
});

test('an operator retries a rejected submission after removing its reason', async () => {
  const submission = endorse('late-endorser', 'mayor', 'ann');
  await service.submit([submission]);
  let listed = await operator.get('/console/operator/rejected');
  await until('it is rejected', async () => {
    listed = await operator.get('/console/operator/rejected');
    return listed.html.includes('late-endorser');
  });
  operator = await ConsoleClient.signIn(service, { role: 'operator', person: 'olga' });
  const [, place = ''] =
    /action="(\/console\/operator\/rejected\/\d+\/[^/"]+)\/retry"/.exec(listed.html) ?? [];
  expect((await operator.get(place)).html).toContain('unknown_endorser');
  await loadCatalogue(service.databaseUrl, [['endorsers', endorser({ slug: 'late-endorser' })]]);
  expect((await operator.post(`${place}/retry`)).location).toBe('/console/operator/rejected?sent=1');
  await until('it is applied', async () => {
    const { body } = await service.get('/v1/endorsements?endorsers=late-endorser');
    return body.data.length === 1;
  });
  const [entry] = await service.query(`SELECT person FROM audit_log WHERE action = 'submission.retried'`);
  expect(entry).toEqual({ person: 'olga' });
});

test('an operator retries either of two submissions that had the same offset', async () => {
  await rejectAtSameOrigin(service, [1, 4713], ['bakers', 'teachers']);
  const place = '/console/operator/rejected/1/4713';
  const { html } = await operator.get('/console/operator/rejected');
  for (const time of [EARLIER, LATER]) expect(html).toContain(`action="${place}@${time}/retry"`);
  const both = (await operator.get(place)).html;
  expect(both).toMatch(/bakers.*teachers/s);
  expect((await operator.get(`${place}@${LATER}`)).html).not.toContain('bakers');
  const refused = await operator.post(`${place}/retry`);
  expect(refused.status).toBe(409);
  expect(refused.html).toContain(`1/4713@${EARLIER} (bakers, `);
  expect((await operator.post(`${place}@${EARLIER}/retry`)).location).toBe(
    '/console/operator/rejected?sent=1',
  );
});

test('a retry of a missing rejection shows a sentence', async () => {
  expect((await operator.get('/console/operator/rejected/0/999999')).status).toBe(404);
  const refused = await operator.post('/console/operator/rejected/0/999999/retry');
  expect(refused.status).toBe(404);
  expect(refused.html).toContain('0/999999');
});

test('INV-15: rejected submissions before a place are shown on a page of their own', async () => {
  const { html } = await operator.get('/console/operator/rejected?before=0-0,1-0');
  expect(html).toContain('No older rejected submissions.');
  expect((await operator.get('/console/operator/rejected?before=x')).html).not.toContain('No older');
});

test('the status shows every process and the lag at each hop', async () => {
  let html = '';
  await until('the processes have reported', async () => {
    ({ html } = await operator.get('/console/operator/status'));
    return html.includes('leads apply, leads relay') && />gateway<.*>ready</.test(html);
  });
  expect(html).toContain(`process ${process.pid}`);
  await until('all is well', async () =>
    (await operator.get('/console/operator/status')).html.includes('All is well.'),
  );
  for (const hop of ['Submissions to apply', 'Changes to relay', 'Rejections to send']) {
    expect(html).toContain(hop);
  }
  for (const limit of ['more than 10,000', 'older than 10 s', 'any']) {
    expect(html).toContain(`<td>${limit}</td>`);
  }
});

test('the status begins with what is wrong and what to do', async () => {
  await service.query(
    `INSERT INTO processes (id, program, host, pid, version, started_at, seen_at, details) VALUES
       (gen_random_uuid(), 'gateway', 'far', 7, '1.0.0', now(), now(), '{"port":1,"openStreams":4,"behindMs":11000}')`,
  );
  const behind = (await operator.get('/console/operator/status')).html;
  expect(behind).toContain('There is a problem:');
  const [, guide = ''] = /href="([^"]+)">Runbook: GatewayBehind</.exec(behind) ?? [];
  expect((await operator.get(guide.split('#')[0] ?? '')).html).toContain(` id="${guide.split('#')[1]}"`);
  expect(behind).toMatch(
    /The gateway process 7 on far is 11 s behind the stream: read its log\. Since <time datetime="/,
  );
  expect(behind).toMatch(/Open streams<\/dt><dd>4</);
  await service.query(`UPDATE processes SET seen_at = now() - interval '2 minutes' WHERE host = 'far'`);
  const gone = (await operator.get('/console/operator/status')).html;
  expect(gone).toMatch(/process 7 on far does not report any more.*: read its log\. Since <time/);
  expect(gone).toMatch(/Open streams<\/dt><dd>0</);
  await service.query(`DELETE FROM processes WHERE host = 'far'`);
});

test('INV-15: a Kafka that hangs does not hold up the status, and pages that look meanwhile ask it once', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket.on('error', () => {})));
  const port = await listen(silent);
  const brokers = { addresses: [`127.0.0.1:${port}`], tls: null, login: null, rack: null };
  const place = { pool: {} as Pool, clock: systemClock, brokers, topicPrefix: '' };
  const found = await Promise.all([1, 2, 3].map(() => loadHops(place, 200)));
  found.push(await loadHops(place, 100));
  silent.close();
  for (const socket of sockets) socket.destroy();
  expect([found, sockets.length]).toEqual([[null, null, null, null], 1]);
});

test('the status counts the changes of the last minute', async () => {
  const changesOf = async () =>
    Number(
      /last minute<\/dt><dd>(\d+)</.exec((await operator.get('/console/operator/status')).html)?.[1] ?? -1,
    );
  const before = await changesOf();
  await service.submit([endorse('bakers-local-1', 'mayor', 'ann'), endorse('coast-gazette', 'mayor', 'bob')]);
  await until('both changes count', async () => (await changesOf()) === before + 2);
});

test('the status lists the last five changes, the newest first, with links to their histories', async () => {
  const shown = async () => {
    const { html } = await operator.get('/console/operator/status');
    const rows = html
      .slice(html.indexOf('The last changes'))
      .matchAll(/<td>(Endorsed|Changed|Withdrawn)<\/td>\s*<th scope="row">([^<]*)<.*?href="([^"]*)"/gs);
    return [...rows].map(([, type, endorser, address]) => ({ type, endorser, address }));
  };
  for (const choice of ['ann', 'bob', 'cyd', 'dee', 'ann'])
    await service.submit([endorse('coast-gazette', 'mayor', choice)]);
  await service.submit([endorse('bakers-local-1', 'mayor', 'dee')]);
  await until('the last change is shown', async () => (await shown())[0]?.endorser === 'Bakers Local 1');
  const all = await shown();
  expect([all.length, all.at(-1)?.endorser]).toEqual([5, 'Coast Gazette']);
  const history = await operator.get(all[0]?.address?.replaceAll('&amp;', '&') ?? '');
  expect(history.html).toContain('Bakers Local 1');
});

test('owners and members cannot find these pages or send their forms', async () => {
  for (const role of ['owner', 'member'] as const) {
    const client = await ConsoleClient.signIn(service, { role });
    for (const page of [
      'accounts',
      'accounts/1',
      'plans',
      'status',
      'usage',
      'usage/1',
      'errors',
      'rejected',
      'audit',
    ]) {
      expect((await client.get(`/console/operator/${page}`)).status).toBe(404);
    }
    for (const form of ['accounts', 'accounts/1/suspend', 'plans/free', 'rejected/retry']) {
      expect((await client.post(`/console/operator/${form}`)).status).toBe(404);
    }
    expect((await client.get('/console/keys')).html).not.toContain('/console/operator');
    const { account } = await makeAccount();
    const [row] = await service.query('SELECT id FROM accounts WHERE name = $1', [account]);
    expect((await client.post('/console/account', { account: String(row?.id) })).status).toBe(404);
  }
});

test('owners see only the audit log of their account', async () => {
  const { account } = await makeAccount();
  const owner = await ConsoleClient.signIn(service, { account, person: 'ann' });
  await owner.post('/console/keys', { name: 'Feed', scope: 'data:read' });
  const { html } = await owner.get('/console/audit');
  expect(html).toContain('key.created');
  expect(html).toContain('ann');
  expect(html).not.toContain('olga');
  const member = await ConsoleClient.signIn(service, { account, role: 'member' });
  expect((await member.get('/console/audit')).status).toBe(403);
});
