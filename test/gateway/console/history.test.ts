/** The history of a position: every change, and what it tells of the author to whom. */
import { beforeAll, expect, test } from '@jest/globals';
import { loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { choice, contest } from '../../helpers/ballots/catalogue-records.ts';
import { endorse, withdraw } from '../../helpers/ballots/submissions.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { publishInConsole } from '../../helpers/service/publishing.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService({ gatewayConfig: { today: '2026-11-02' } });
const ENDORSER = 'bakers-local-1';
const MAYOR = 'or-2026-11-03-general/mayor';
const HISTORY = `/console/history?endorser=${ENDORSER}&contest=${encodeURIComponent(MAYOR)}`;
const ABCD = ['ann', 'bob', 'cyd', 'dee'].map((key) => choice(key));

let editor: ConsoleClient;
let receipt: string;

const textOf = (html: string): string =>
  html
    .replaceAll(/<details.*?<\/details>/gs, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The cells of the changes on a page, as texts. */
const rowsOf = (html: string): string[][] =>
  [...html.matchAll(/<tr>(<td><time.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => textOf(cell)),
  );

/** The change, the choice and the author of each row that a person sees. */
async function read(client: ConsoleClient, path = HISTORY): Promise<string[]> {
  const { status, html } = await client.get(path);
  expect(status).toBe(200);
  return rowsOf(html).map(([, change, of, by]) => `${change} ${of}: ${by}`);
}

beforeAll(async () => {
  const { databaseUrl } = service;
  const key = await service.createKey('newsroom', 'free');
  await service.query(`UPDATE api_keys SET name = 'Website' WHERE account_id =
    (SELECT id FROM accounts WHERE name = 'newsroom')`);
  await service.allow([ENDORSER], 'newsroom');
  editor = await ConsoleClient.signIn(service, { account: 'newsroom', role: 'editor', person: 'ann@news' });
  const [mayor] = await service.query('SELECT id FROM contests WHERE key = $1', [MAYOR]);
  const id = await publishInConsole(editor, Number(mayor?.id), { endorser: ENDORSER, choice: 'ann' });
  receipt = `/console/endorsements/receipts/${id}`;
  await service.eventsOnceThereAre(1);
  const picks = [{ choice: 'bob', statement: 'He <listens>.', source_url: 'https://news.example/bob' }];
  await service.send(
    'POST',
    '/v1/submissions',
    { submissions: [{ action: 'position', endorser: ENDORSER, contest: MAYOR, picks }] },
    { headers: { Authorization: `Bearer ${key}` } },
  );
  await service.eventsOnceThereAre(3);
  await service.submit([endorse(ENDORSER, 'mayor', 'cyd')]);
  await service.eventsOnceThereAre(4);
  await service.submit([withdraw(ENDORSER, 'mayor', 'cyd')], 'ops submit by sysadmin');
  await service.eventsOnceThereAre(5);
  // A producer that pretends to be the editor.
  await service.submit([endorse(ENDORSER, 'mayor', 'cyd')], `publication ${id}`);
  await service.eventsOnceThereAre(6);
  await service.submit([withdraw(ENDORSER, 'mayor', 'bob')], 'the machine of Bob');
  await service.eventsOnceThereAre(7);
  // Another endorser and another contest, which do not belong to the history.
  await service.submit([endorse('coast-gazette', 'mayor', 'ann'), endorse(ENDORSER, 'council', 'ann')]);
  await loadCatalogue(
    databaseUrl,
    [['contests', contest('mayor', { choices: ABCD, title: 'Mayor of all' })]],
    {
      keepMissing: true,
    },
  );
  await service.eventsOnceThereAre(11);
});

const CHANGES = [
  'Changed cyd: An edit of the catalogue',
  'Withdrawn bob “He &lt;listens>.” Source: A producer',
  'Endorsed cyd: An account; the record of its request is no longer kept',
  'Withdrawn cyd: The command “ops submit”',
  'Endorsed cyd: A producer',
  'Endorsed bob “He &lt;listens>.” Source: newsroom, with the key “Website”',
  'Withdrawn ann: newsroom, with the key “Website”',
  'Endorsed ann: newsroom, ann@news in the console',
];
const withoutPlaces = (rows: string[]) =>
  rows.map((row) => row.replace(/ \S*endorsement-submissions \d+\/\d+$/, ''));

test('members of the account see every change with its author, the newest first', async () => {
  const rows = await read(editor);
  expect(withoutPlaces(rows)).toEqual(CHANGES);
  expect(rows[1]).toMatch(/A producer \S*endorsement-submissions \d+\/\d+$/);
});

test('another account sees the account, but no people and no keys', async () => {
  const rows = await read(await ConsoleClient.signIn(service, { role: 'owner' }));
  const hidden = CHANGES.map((row) => row.replace(/newsroom, .*/, 'newsroom'));
  expect(withoutPlaces(rows)).toEqual(hidden);
});

test('operators see people, users of commands and the names of producers', async () => {
  const rows = withoutPlaces(await read(await ConsoleClient.signIn(service, { role: 'operator' })));
  expect(rows[1]).toContain('A producer that calls itself “the machine of Bob”');
  expect(rows[3]).toContain('The command “ops submit by sysadmin”');
  expect(rows[7]).toBe(CHANGES[7]);
  // The place of the pretended publication is not that of the submission.
  expect(rows[2]).not.toContain('newsroom');
});

test('each change has the id and the JSON of its event', async () => {
  const { html } = await editor.get(HISTORY);
  const events = (await service.events()).data.filter(
    ({ endorser, contest: of }) => endorser.slug === ENDORSER && of.short_title === 'mayor',
  );
  const shown = [...html.matchAll(/<code>(\{.*?)<\/code>/gs)].map(([, json = '']) =>
    JSON.parse(json.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&')),
  );
  expect(shown).toEqual(events.reverse());
  expect(rowsOf(html).map(([, , , , event]) => event)).toEqual(events.map(({ id }) => id));
});

test('lists, contests, receipts and pages of events lead to it', async () => {
  const [mayor] = await service.query('SELECT id FROM contests WHERE key = $1', [MAYOR]);
  const byId = `/console/history?endorser=${ENDORSER}&amp;contest=${mayor?.id}`;
  for (const path of [
    '/console/endorsements',
    `/console/endorsements/${mayor?.id}`,
    `/console/explorer/contests/${mayor?.id}`,
    '/console/live?start=earliest&show=events',
  ]) {
    expect([path, (await editor.get(path)).html.includes(`href="${byId}"`)]).toEqual([path, true]);
  }
  expect((await editor.get(receipt)).html).toContain(`href="${HISTORY.replaceAll('&', '&amp;')}"`);
  expect(await read(editor, byId.replaceAll('&amp;', '&'))).toEqual(await read(editor));
});

test('a long history comes in pages, without a change twice', async () => {
  const before = (await service.events()).data.length;
  for (let count = 1; count <= 13; count += 1) {
    await service.submit([endorse(ENDORSER, 'sheriff', 'ann'), withdraw(ENDORSER, 'sheriff', 'ann')]);
  }
  await service.eventsOnceThereAre(before + 26);
  const path = HISTORY.replace('mayor', 'sheriff');
  const { html } = await editor.get(path);
  const [, older = ''] = /href="([^"]+)">Older changes/.exec(html) ?? [];
  const rest = await editor.get(older.replaceAll('&amp;', '&'));
  const ids = [html, rest.html].flatMap((page) => rowsOf(page).map(([, , , , event]) => event));
  expect(ids).toHaveLength(26);
  expect(new Set(ids).size).toBe(26);
  expect(rest.html).not.toContain('Older changes');
});

test('it says from when on changes are kept, and that a position has none', async () => {
  const { html } = await editor.get(HISTORY.replace('bakers-local-1', 'nation-herald'));
  expect(html).toContain('No change of this position is kept.');
  expect(html).toMatch(/the oldest of all is from <time/);
});

test.each([
  '',
  '?endorser=nobody&contest=1',
  '?endorser=bakers-local-1&contest=x/y',
  '?endorser=%00&contest=1',
])('without an endorser and a contest there is none: %s', async (query) => {
  const { status, html } = await editor.get(`/console/history${query}`);
  expect(status).toBe(404);
  expect(html).toContain('There is no such endorser, or no such contest.');
});
