import { expect, test } from '@jest/globals';
import { SCOPES } from '../../../schemas/vocabulary.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
const KEY = /bes_[0-9A-Za-z]{38}/;
const ALL = ['data:read', 'stream:read', 'subscriptions:write'];

async function makeAccount(): Promise<string> {
  const account = `account ${Math.random()}`;
  await service.createKey(account, 'internal');
  return account;
}

const keyIn = (html: string): string => KEY.exec(html)?.[0] ?? '';
const statusWith = async (key: string): Promise<number> =>
  (await service.get('/v1/states', { headers: { Authorization: `Bearer ${key}` } })).status;

const audit = (account: string) =>
  service.query(
    `SELECT l.action, l.person, l.details->>'name' AS name
     FROM audit_log l JOIN accounts a ON a.id = l.account_id WHERE a.name = $1 ORDER BY l.id`,
    [account],
  );

test('an owner makes a key, which is shown once and works as pasted', async () => {
  const account = await makeAccount();
  const client = await ConsoleClient.signIn(service, { account, person: 'ann' });
  const made = await client.post('/console/keys', { name: 'Website', scope: ALL });
  expect(made.status).toBe(200);
  const key = keyIn(made.html);
  expect(made.html).toContain(`curl -H &#39;Authorization: Bearer ${key}`.replaceAll('&#39;', "'"));
  for (const program of [`apiKey: '${key}'`, `"API_KEY", "${key}"`]) {
    expect(made.html.replaceAll('&quot;', '"')).toContain(program);
  }
  expect(made.html).toMatch(/The limits of the plan internal.*Requests a minute<\/dt><dd>no limit/s);
  expect(await statusWith(key)).toBe(200);
  const { html } = await client.get('/console/keys');
  expect(html).toContain('Website');
  expect(html).not.toMatch(KEY);
  expect(await audit(account)).toContainEqual({ action: 'key.created', person: 'ann', name: 'Website' });
});

test('sending a form twice makes one key', async () => {
  const client = await ConsoleClient.signIn(service, { account: await makeAccount() });
  const form = /name="form" value="([^"]+)"/.exec((await client.get('/console/keys')).html)?.[1] ?? '';
  const fields = { name: 'Twice', scope: ALL, form };
  expect((await client.post('/console/keys', fields)).status).toBe(200);
  const again = await client.post('/console/keys', fields);
  expect(again).toMatchObject({ status: 303, location: '/console/keys?done=made' });
  const { html } = await client.get('/console/keys');
  expect(html.match(/>Twice</g)).toHaveLength(1);

  const [, rotate = '', id = ''] =
    /action="(\/console\/keys\/\d+\/rotate)".*?name="form" value="([^"]+)"/s.exec(html) ?? [];
  expect((await client.post(rotate, { form: id })).status).toBe(200);
  expect((await client.post(rotate, { form: id })).status).toBe(303);
  expect((await client.get('/console/keys')).html.match(/replaces \d+/g)).toHaveLength(1);
});

test.each([
  ['no name', { name: ' ', scope: ALL }, 'Give the key a name'],
  ['a name of 101 characters', { name: 'x'.repeat(101), scope: ALL }, 'at most 100 characters'],
  ['a name of invisible characters', { name: '\u200b', scope: ALL }, 'Give the key a name'],
  ['no scope', { name: 'a' }, 'at least one thing'],
  ['a date that does not exist', { name: 'a', scope: ALL, expires: '2027-02-30' }, 'must be a date'],
  ['a date in the past', { name: 'a', scope: ALL, expires: '2020-01-01' }, 'in the future'],
])('a form with %s is refused with a reason', async (_what, fields, reason) => {
  const client = await ConsoleClient.signIn(service, { account: await makeAccount() });
  const refused = await client.post('/console/keys', fields);
  expect(refused.status).toBe(400);
  expect(refused.html).toContain(reason);
  expect(refused.html).not.toMatch(KEY);
});

test('a key is rotated: the new one works beside the old until that is revoked', async () => {
  const account = await makeAccount();
  const client = await ConsoleClient.signIn(service, { account });
  const old = keyIn((await client.post('/console/keys', { name: 'Feed', scope: ['data:read'] })).html);
  const id = /Key (\d+)</.exec((await client.post('/console/keys', { name: 'x', scope: ALL })).html)?.[1];
  const oldId = Number(id) - 1;
  const fresh = keyIn((await client.post(`/console/keys/${oldId}/rotate`)).html);
  expect([await statusWith(old), await statusWith(fresh)]).toEqual([200, 200]);
  expect((await client.get('/console/keys')).html).toContain(`replaces ${oldId}`);
  expect((await client.get('/console/keys')).html).not.toContain('still used');

  await service.query(`UPDATE api_keys SET last_used_at = now() + interval '1 minute' WHERE id = $1`, [
    oldId,
  ]);
  expect((await client.get('/console/keys')).html).toContain('has been replaced and is still used');

  expect((await client.get(`/console/keys/${oldId}/revoke`)).html).toContain('Revoke Feed?');
  await client.post(`/console/keys/${oldId}/revoke`);
  expect((await client.get('/console/keys')).html).not.toContain('still used');
  expect((await client.post(`/console/keys/${oldId}/rotate`)).status).toBe(409);
  // Another tab may still have the link.
  expect((await client.get(`/console/keys/${oldId}/revoke`)).location).toBe('/console/keys?done=revoked');
  expect(await statusWith(fresh)).toBe(200);
});

test('a key that replaces one with an end says that it has the same end', async () => {
  const client = await ConsoleClient.signIn(service, { account: await makeAccount() });
  const made = await client.post('/console/keys', { name: 'Trial', scope: ALL, expires: '2099-03-01' });
  const id = /Key (\d+)</.exec(made.html)?.[1];
  const { html } = await client.post(`/console/keys/${id}/rotate`);
  expect(html).toMatch(/The new key expires when Trial does, at .*2099-03-01 00:00 UTC/);
});

test("other accounts' keys do not exist, and members cannot change keys", async () => {
  const stranger = await ConsoleClient.signIn(service, { account: await makeAccount() });
  const made = await stranger.post('/console/keys', { name: 'Theirs', scope: ALL });
  const id = /Key (\d+)</.exec(made.html)?.[1];
  const account = await makeAccount();
  const owner = await ConsoleClient.signIn(service, { account });
  for (const path of [
    `/console/keys/${id}/revoke`,
    '/console/keys/999999/revoke',
    '/console/keys/x/revoke',
  ]) {
    expect((await owner.get(path)).status).toBe(404);
    expect((await owner.post(path)).status).toBe(404);
  }
  expect((await owner.post(`/console/keys/${id}/rotate`)).status).toBe(404);
  expect((await owner.get('/console/keys')).html).not.toContain('Theirs');
  const member = await ConsoleClient.signIn(service, { account, role: 'member' });
  expect((await member.get('/console/keys')).html).toContain('Owners of the account make');
  expect((await member.post('/console/keys', { name: 'a', scope: ALL })).status).toBe(403);
  expect(await statusWith(keyIn(made.html))).toBe(200);
});

/** Makes keys of an account without the service. */
async function makeKeys(account: string, count: number, revokedAt: string | null = null): Promise<void> {
  await service.query(
    `INSERT INTO api_keys (account_id, hash, scopes, name, revoked_at)
     SELECT id, sha256(gen_random_uuid()::text::bytea), '{data:read}', 'made ' || n, $3
     FROM accounts, generate_series(1, $2) AS n WHERE name = $1`,
    [account, count, revokedAt],
  );
}

test('INV-15: an account has at most 100 usable keys', async () => {
  const account = await makeAccount();
  const client = await ConsoleClient.signIn(service, { account });
  await makeKeys(account, 50, '2026-01-01');
  await makeKeys(account, 98);
  const last = await client.post('/console/keys', { name: 'The hundredth', scope: ALL });
  expect(last.html).toContain('Your new key');
  const refused = await client.post('/console/keys', { name: 'One too many', scope: ['data:read'] });
  expect(refused.status).toBe(409);
  expect(refused.html).toContain('has 100 usable keys');
  expect(refused.html).toContain('value="One too many"');
  const byCommand = service.createKey(account, 'internal');
  await expect(byCommand).rejects.toThrow('has 100 usable keys, which is the most an account can have');
  const id = /Key (\d+)</.exec(last.html)?.[1];
  const listed = (await client.get('/console/keys')).html;
  const form = /\/rotate".*?name="form" value="([^"]+)"/s.exec(listed)?.[1] ?? '';
  const unrotated = await client.post(`/console/keys/${id}/rotate`, { form });
  expect(unrotated.status).toBe(409);
  expect(unrotated.html.match(/name="scope"[^>]* checked/g)).toHaveLength(SCOPES.length);
  await client.post(`/console/keys/${id}/revoke`);
  const again = await client.post('/console/keys', { name: 'Instead', scope: ALL });
  expect(again.html).toContain('Your new key');
});

test('INV-15: many keys are shown in pages, the usable ones first, none twice', async () => {
  const account = await makeAccount();
  await makeKeys(account, 30);
  await makeKeys(account, 200, '2026-01-01');
  const client = await ConsoleClient.signIn(service, { account, role: 'member' });
  const names: string[] = [];
  const sizes: number[] = [];
  for (let path = '/console/keys'; path !== ''; ) {
    const { html } = await client.get(path);
    const found = [...html.matchAll(/<tr(?: class="over")?>\s*<th scope="row">.*?<td>(\d+)<\/td>/gs)];
    names.push(...found.map(([, id]) => id ?? ''));
    sizes.push(found.length);
    path = /href="(\/console\/keys\?after=[^"]+)"/.exec(html)?.[1] ?? '';
  }
  expect(sizes).toEqual([100, 100, 31]);
  expect(new Set(names).size).toBe(231);
  const { html } = await client.get('/console/keys?after=nonsense');
  expect(html.indexOf('class="over"')).toBeGreaterThan(html.lastIndexOf('made 30<'));
});
