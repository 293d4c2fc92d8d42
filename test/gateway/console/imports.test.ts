/** Catalogue files that operators upload: the preview, the import, and what keeps it from doing something else. */
import { beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { beginCatalogueWork } from '../../../store/console/catalogue-files.ts';
import { type CatalogueLine, loadCatalogue, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { choice, contest, election } from '../../helpers/ballots/catalogue-records.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { testInBrowser, useChromium } from '../../helpers/browser/use-chromium.ts';
import {
  ConsoleClient,
  makeLink,
  type ReceivedPage,
  readSeen,
} from '../../helpers/console/console-client.ts';
import { withClient } from '../../helpers/postgres/with-client.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService({ catalogue: SMALL_BALLOT });
const IMPORTS = '/console/operator/imports';
let operator: ConsoleClient;
const newContext = useChromium();

beforeEach(async () => {
  operator = await ConsoleClient.signIn(service, { role: 'operator', person: 'olga' });
  await service.query('DELETE FROM catalogue_files');
});

/** An election of its own for a test, with contests of these names. */
const ballot = (slug: string, contests: readonly string[], more: object = {}): CatalogueLine[] => [
  ['elections', election({ slug, name: `Election ${slug}` })],
  ...contests.map((key): CatalogueLine => ['contests', contest(key, { election: slug, ...more })]),
];

const ndjson = (lines: readonly (CatalogueLine | string)[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line[1])}\n`).join('');
const contestsOf = (lines: readonly CatalogueLine[]): string =>
  ndjson(lines.filter(([kind]) => kind === 'contests'));

interface Uploaded {
  address: string;
  page: ReceivedPage;
}

/** Uploads a file, and waits until it is compared. */
async function upload(
  text: string,
  { name = 'contests.ndjson', ...fields }: Record<string, string> = {},
): Promise<Uploaded> {
  const answer = await operator.postFile(IMPORTS, fields, { name, text });
  expect([answer.status, answer.html]).toEqual([303, expect.anything()]);
  return { address: answer.location, page: await settled(answer.location) };
}

async function settled(address: string): Promise<ReceivedPage> {
  let page = await operator.get(address);
  await until('the work on the file is done', async () => {
    page = await operator.get(address);
    return !page.html.includes('data-look-again');
  });
  return page;
}

/** Imports what a page has shown. */
async function importSeen({ address, page }: Uploaded, fields: Record<string, string> = {}) {
  const answer = await operator.post(`${address}/import`, { seen: readSeen(page), ...fields });
  return { answer, page: await settled(address) };
}

const titlesOf = async (slug: string): Promise<string[]> => {
  const found = await service.query(
    'SELECT title FROM contests WHERE election_slug = $1 AND removed_at IS NULL ORDER BY key',
    [slug],
  );
  return found.map(({ title }) => String(title));
};

test('an operator sees what a file would change, imports it, and the audit log names the operator', async () => {
  const slug = 'or-2027-05-18-primary';
  const lines = ballot(slug, ['clerk', 'judge']);
  await loadCatalogue(service.databaseUrl, lines.slice(0, 1));
  const uploaded = await upload(contestsOf(lines));
  expect(uploaded.page.html).toContain('Nothing is changed yet.');
  expect(uploaded.page.html).toMatch(/<th scope="row">contests<\/th><td class="number">2<\/td>/);
  expect(uploaded.page.html).toContain(`<code>${slug}/clerk</code>`);
  expect(await titlesOf(slug)).toEqual([]);
  const { page } = await importSeen(uploaded);
  expect(page.html).toContain('Imported at');
  expect(await titlesOf(slug)).toHaveLength(2);
  expect(
    await service.query(`SELECT person, subject FROM audit_log WHERE action = 'catalogue.imported'`),
  ).toEqual([{ person: 'olga', subject: 'catalogue file contests.ndjson' }]);
  // A form that is sent again, and a file that is imported already, change nothing.
  expect((await importSeen(uploaded)).answer.location).toBe(uploaded.address);
  expect((await operator.post(`${uploaded.address}/delete`)).location).toBe(uploaded.address);
  const again = await upload(contestsOf(lines));
  expect(again.page.html).toContain('The catalogue has all of it already');
  expect(again.page.html).not.toContain('>Import</button>');
});

test('a changed title is announced on the stream', async () => {
  const slug = 'or-2027-06-01-special';
  await loadCatalogue(service.databaseUrl, ballot(slug, ['clerk']));
  const before = (await service.events()).data.length;
  await service.submit([{ ...endorse('bakers-local-1', 'clerk', 'ann'), contest: `${slug}/clerk` }]);
  await service.eventsOnceThereAre(before + 1);
  const uploaded = await upload(contestsOf(ballot(slug, ['clerk'], { title: 'Clerk of the court' })));
  expect(uploaded.page.html).toContain('Endorsements that the stream announces then: 1 updated.');
  // One more than the preview has shown, which does not hinder the import.
  await service.submit([{ ...endorse('coast-gazette', 'clerk', 'ann'), contest: `${slug}/clerk` }]);
  await service.eventsOnceThereAre(before + 2);
  const { page } = await importSeen(uploaded);
  expect(page.html).toContain('Endorsements announced on the stream: 2 updated.');
  const events = await service.eventsOnceThereAre(before + 4);
  expect(events.at(-1)).toMatchObject({
    type: 'endorsement.updated',
    contest: { title: 'Clerk of the court' },
  });
});

test('names that make an event too large are refused with the reason, and shorter ones are imported', async () => {
  const slug = 'or-2027-06-13-special';
  await loadCatalogue(service.databaseUrl, ballot(slug, ['clerk']));
  const before = (await service.events()).data.length;
  const statement = '政'.repeat(15_900);
  const submission = endorse('bakers-local-1', 'clerk', 'ann', { statement });
  await service.submit([{ ...submission, contest: `${slug}/clerk` }]);
  await service.eventsOnceThereAre(before + 1);
  const { page } = await upload(contestsOf(ballot(slug, ['clerk'], { title: '市'.repeat(500) })));
  expect(page.html).toContain('Nothing was changed: with the new names, the event of bakers-local-1');
  expect(page.html).not.toContain('>Import</button>');
  const shorter = await upload(contestsOf(ballot(slug, ['clerk'], { title: 'County clerk' })));
  await importSeen(shorter);
  expect(await titlesOf(slug)).toEqual(['County clerk']);
});

test('refused records keep the others out until the operator leaves them out', async () => {
  const slug = 'or-2027-06-02-special';
  await loadCatalogue(service.databaseUrl, ballot(slug, []));
  const [good] = ballot(slug, ['clerk']).slice(1);
  const bad = { ...good?.[1], slug: 'judge', key: `${slug}/judge`, vote_method: 'guess' };
  const { address, page } = await upload(ndjson([good as CatalogueLine, JSON.stringify(bad), '{']));
  expect(page.html).toContain('2 records are refused, so nothing can be imported');
  expect(page.html).toMatch(/<th scope="row">2<\/th><td>[^<]+<\/td><td><code>vote_method<\/code><\/td>/);
  expect(page.html).not.toContain('>Import</button>');
  expect((await importSeen({ address, page })).answer.status).toBe(409);
  expect(await titlesOf(slug)).toEqual([]);
  await operator.post(address, { 'skip-refused': 'yes' });
  const without = await settled(address);
  expect(without.html).toContain('2 records are refused, and left out.');
  await importSeen({ address, page: without });
  expect(await titlesOf(slug)).toHaveLength(1);
});

test('a refused line is shown with a value that no text column can store, or that is cut within a character', async () => {
  const slug = 'or-2027-06-12-special';
  const [, bad] = ballot(slug, ['clerk'])[1] as CatalogueLine;
  const lines = [
    { ...bad, key: `${slug}/a\0b`, slug: 'a\0b' },
    { ...bad, key: `${slug}/a\ud83d`, slug: 'a\ud83d' },
    { ...bad, vote_method: `${'x'.repeat(78)}\u{1f600}` },
  ];
  for (const line of lines) {
    const { page } = await upload(ndjson([JSON.stringify(line)]));
    expect(page.html).toContain('1 record is refused, so nothing can be imported');
  }
});

test('what takes much away needs consent, unless the file is only a part', async () => {
  const slug = 'or-2027-06-03-special';
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  await loadCatalogue(service.databaseUrl, ballot(slug, keys));
  const { address, page } = await upload(contestsOf(ballot(slug, ['a'])));
  expect(page.html).toMatch(/<td class="number">6 of 7<\/td>/);
  expect(page.html).toContain(
    `<td><code>${slug}/b</code></td>`.replace('<td><code>', '<code>').replace('</td>', ''),
  );
  const consent = /name="consent" value="(\d+)"/.exec(page.html)?.[1] ?? '';
  for (const fields of [{}, { consent: '1' }]) {
    const { answer } = await importSeen({ address, page }, fields);
    expect(answer.status).toBe(409);
    expect(answer.html).toContain('agree to what the import takes away first');
  }
  expect(await titlesOf(slug)).toHaveLength(7);
  await operator.post(address, { 'keep-missing': 'yes' });
  expect((await settled(address)).html).toContain('The catalogue has all of it already');
  await operator.post(address, {});
  await importSeen({ address, page: await settled(address) }, { consent });
  expect(await titlesOf(slug)).toHaveLength(1);
});

test('if the catalogue has changed since the preview, the new preview is shown, and nothing is imported', async () => {
  const slug = 'or-2027-06-04-special';
  const lines = ballot(slug, ['clerk', 'judge']);
  await loadCatalogue(service.databaseUrl, lines.slice(0, 1));
  const uploaded = await upload(contestsOf(lines));
  await loadCatalogue(service.databaseUrl, ballot(slug, ['clerk']));
  const { page } = await importSeen(uploaded);
  expect(page.html).toContain('The catalogue has changed since the preview, so nothing was imported.');
  expect(page.html).not.toContain(`<code>${slug}/clerk</code>`);
  expect(page.html).toContain(`<code>${slug}/judge</code>`);
  expect(await titlesOf(slug)).toHaveLength(1);
  // The page that was open before is of no use any more.
  expect((await importSeen(uploaded)).answer.html).toContain(
    'The preview has changed since the page was opened',
  );
  expect(await titlesOf(slug)).toHaveLength(1);
  await importSeen({ address: uploaded.address, page });
  expect(await titlesOf(slug)).toHaveLength(2);
});

test('if it would withdraw more endorsements than the preview has shown, nothing is imported', async () => {
  const slug = 'or-2027-06-07-special';
  await loadCatalogue(service.databaseUrl, ballot(slug, ['clerk', 'judge']));
  const take = (endorser: string) =>
    service.submit([{ ...endorse(endorser, 'judge', 'ann'), contest: `${slug}/judge` }]);
  const countEndorsements = async () => {
    const ofContest = 'SELECT FROM endorsements WHERE contest_id = (SELECT id FROM contests WHERE key = $1)';
    return (await service.query(ofContest, [`${slug}/judge`])).length;
  };
  await take('bakers-local-1');
  await until('it is applied', async () => (await countEndorsements()) === 1);
  const uploaded = await upload(contestsOf(ballot(slug, ['clerk'])));
  await take('coast-gazette');
  await until('it is applied', async () => (await countEndorsements()) === 2);
  const [, consent = ''] = /name="consent" value="(\d+)"/.exec(uploaded.page.html) ?? [];
  const { page } = await importSeen(uploaded, { consent });
  expect(page.html).toContain('The catalogue has changed since the preview, so nothing was imported.');
  expect(await titlesOf(slug)).toHaveLength(2);
});

test('a change of another record in equal number is a difference too', async () => {
  const slug = 'or-2027-06-05-special';
  await loadCatalogue(service.databaseUrl, ballot(slug, ['clerk', 'judge']));
  const changed = [
    ...ballot(slug, ['clerk'], { title: 'Clerk of the court' }),
    ...ballot(slug, ['judge']).slice(1),
  ];
  const uploaded = await upload(contestsOf(changed));
  await loadCatalogue(service.databaseUrl, [
    ...changed.slice(0, 2),
    ...ballot(slug, ['judge'], { title: 'Judge of the court' }).slice(1),
  ]);
  const { page } = await importSeen(uploaded);
  expect(page.html).toContain('The catalogue has changed since the preview');
  expect(await titlesOf(slug)).toEqual(['Clerk of the court', 'Judge of the court']);
});

test('a change that would replace what another person has made of the record since is a difference too', async () => {
  const slug = 'or-2027-06-08-special';
  const entitled = (title: string) => ballot(slug, ['clerk'], { title });
  await loadCatalogue(service.databaseUrl, entitled('Clerk'));
  const uploaded = await upload(contestsOf(entitled('Clerk of the court')));
  await loadCatalogue(service.databaseUrl, entitled('County clerk'));
  const { page } = await importSeen(uploaded);
  expect(page.html).toContain('The catalogue has changed since the preview');
  expect(await titlesOf(slug)).toEqual(['County clerk']);
  await importSeen({ address: uploaded.address, page });
  expect(await titlesOf(slug)).toEqual(['Clerk of the court']);
});

test('of two operators who say how a file is imported, the second sees what the first has said', async () => {
  const { address, page } = await upload(contestsOf(ballot('or-2026-11-03-general', ['mayor'])));
  const [, shown = ''] = /name="shown" value="([^"]+)"/.exec(page.html) ?? [];
  const say = (fields: object) =>
    operator.post(address, { shown: shown.replaceAll('&quot;', '"'), ...fields });
  expect((await say({ 'keep-missing': 'yes' })).status).toBe(303);
  await settled(address);
  // The same again is not another choice.
  expect((await say({ 'keep-missing': 'yes' })).status).toBe(303);
  await settled(address);
  const refused = await say({ 'skip-refused': 'yes' });
  expect([refused.status, refused.html.includes('so your choice is not saved')]).toEqual([409, true]);
  expect(refused.html).toContain('name="keep-missing" value="yes" checked');
});

test('a table is read by what its name or the operator says, and its faults are shown', async () => {
  const rows = ['election,contest,candidate', ',Treasurer,Ann Lee', ',Treasurer,Bob Ray'].join('\n');
  const unread = await upload(rows, { name: 'list.csv' });
  expect(unread.page.html).toContain('list.csv');
  expect(unread.page.html).not.toContain('>Import</button>');
  await operator.post(unread.address, { election: 'or-2026-11-03-general', 'keep-missing': 'yes' });
  const read = await settled(unread.address);
  expect(read.html).toContain('list.csv was read as a table in UTF-8');
  expect(read.html).toContain('Treasurer');
  const entries = { election: 'or-2026', type: 'special', 'keep-missing': 'yes', 'allow-renames': 'yes' };
  const unknown = await operator.postFile(IMPORTS, entries, { name: 'list.json', text: '{}' });
  expect([unknown.status, unknown.html]).toEqual([
    400,
    expect.stringContaining('does not say what the file has'),
  ]);
  const empty = await operator.postFile(IMPORTS, { format: 'table' }, { name: 'list.json', text: '' });
  const kept = [unknown, empty].map(({ html }) => [
    ...html.matchAll(/value="([^"]+)"[^>]*? (?:checked|selected)|name="election" value="([^"]+)"/g),
  ]);
  expect(kept.map((found) => found.map(([, chosen, election]) => chosen ?? election))).toEqual([
    ['or-2026', 'special', 'yes', 'yes'],
    ['table'],
  ]);
  const bare = await upload('election,contest,candidate\n', { name: 'list.csv' });
  expect(bare.page.html).toContain('Nothing was loaded, because there were no records');
  const said = await upload('{"slug":"x"}\n', { name: 'list.json', format: 'endorsers' });
  expect(said.page.html).toContain('1 record is refused');
  // Neither the form nor the name says what the file has, so that stays.
  await operator.post(said.address, { 'skip-refused': 'yes' });
  expect((await settled(said.address)).html).toContain('1 record is refused, and left out.');
  const unused = await upload('name,kind\nAcme,Union\n', {
    name: 'endorsers.csv',
    format: 'endorsers-table',
  });
  expect(unused.page.html).toContain('1 record is refused');
  expect(unused.page.html).toContain('columns of a table that hold no field (such as kind)');
  expect(unused.page.html).toContain('<code>category</code></td><td>is missing</td>');
});

test('a gateway that ends while it works leaves the file as it was', async () => {
  const { address } = await upload(contestsOf(ballot('or-2026-11-03-general', ['mayor'])), {
    'keep-missing': 'yes',
  });
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const id = Number(address.split('/').at(-1));
  await beginCatalogueWork(client, id, 'import');
  const begun = await withClient(service.databaseUrl, (other) => beginCatalogueWork(other, id, 'import'));
  expect(begun).toBeNull();
  const working = await operator.get(address);
  expect(working.html).toContain('The file is being imported');
  expect(working.html).toContain('look-again');
  expect((await operator.post(`${address}/import`, { seen: readSeen(working) })).location).toBe(address);
  expect((await operator.post(`${address}/delete`)).location).toBe(address);
  expect((await operator.post(address, { 'skip-refused': 'yes' })).location).toBe(address);
  await client.end();
  const left = (await settled(address)).html;
  expect(left).toContain('so nothing was imported. Compare the file again.');
  expect(left.match(/name="[a-z-]+" value="yes" checked/g)).toEqual([
    'name="keep-missing" value="yes" checked',
  ]);
  await operator.post(address, { 'keep-missing': 'yes' });
  expect((await settled(address)).html).not.toContain('The service was restarted');
});

test('an import that another edit of the catalogue holds back says that it goes on', async () => {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query('SELECT pg_advisory_lock(7204412)');
  const text = contestsOf(ballot('or-2026-11-03-general', ['mayor']));
  const { location } = await operator.postFile(IMPORTS, {}, { name: 'contests.ndjson', text });
  const page = await operator.get(location);
  expect(page.html).toContain('The file is being compared with the catalogue, since');
  const second = await operator.postFile(IMPORTS, {}, { name: 'contests.ndjson', text });
  expect([second.status, second.html]).toEqual([
    409,
    expect.stringContaining('works on another catalogue file'),
  ]);
  await client.end();
  expect((await settled(location)).html).toContain('This is what the import would do');
});

test('there are at most ten files, and imported ones make room', async () => {
  const text = contestsOf(ballot('or-2026-11-03-general', ['mayor']));
  const addresses: string[] = [];
  for (let each = 0; each < 10; each += 1) {
    addresses.push((await upload(text, { 'keep-missing': 'yes' })).address);
  }
  const file = { name: 'contests.ndjson', text };
  const refused = await operator.postFile(IMPORTS, {}, file);
  expect([refused.status, refused.html]).toEqual([
    400,
    expect.stringContaining('Import or delete one of them'),
  ]);
  expect((await operator.post(`${addresses[3]}/delete`)).location).toBe(IMPORTS);
  expect((await operator.get(String(addresses[3]))).status).toBe(404);
  expect((await operator.postFile(IMPORTS, {}, file)).status).toBe(303);
});

testInBrowser('an operator imports a file on a phone, without scripts', async () => {
  const slug = 'or-2027-06-06-special';
  await loadCatalogue(service.databaseUrl, ballot(slug, ['a', 'b', 'c', 'd', 'e', 'f']));
  const context = await newContext({
    viewport: { width: 390, height: 844 },
    javaScriptEnabled: false,
  });
  const page = await context.newPage();
  await page.goto(service.url(await makeLink(service, { role: 'operator' })));
  await page.click('main button');
  await page.goto(service.url(IMPORTS));
  const buffer = Buffer.from(contestsOf(ballot(slug, ['a'], { choices: [choice('ann'), choice('zoe')] })));
  await page.setInputFiles('input[type=file]', { name: 'contests.ndjson', mimeType: 'text/plain', buffer });
  // On a busy machine, the work on the file can take longer than its form waits.
  const lookUntilDone = () =>
    until('the work on the file is done', async () => {
      const again = page.getByRole('link', { name: 'Look again' });
      if ((await again.count()) === 0) return true;
      await again.click();
      return false;
    });
  await page.click('button:text-is("Upload")');
  await lookUntilDone();
  await page.getByLabel(/Take away/).check();
  await page.click('button:text-is("Import")');
  await lookUntilDone();
  await page.getByText('Imported at').waitFor();
  expect(await titlesOf(slug)).toHaveLength(1);
  await context.close();
});

testInBrowser('a page of work under way keeps the focus, and outlasts a lost network', async () => {
  const { address } = await upload(contestsOf(ballot('or-2026-11-03-general', ['mayor'])));
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await beginCatalogueWork(client, Number(address.split('/').at(-1)), 'import');
  const context = await newContext();
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(service.url(await makeLink(service, { role: 'operator' })));
  await page.click('main button');
  await page.goto(service.url(address));
  let looks = 0;
  page.on('request', (request) => {
    if (request.url() === service.url(address)) looks += 1;
  });
  // When the second look begins, the first has been handled.
  const lookTwice = async () => {
    const wanted = looks + 2;
    await until('the page looks twice', async () => {
      await page.clock.runFor(2_000);
      return looks >= wanted;
    });
  };
  const again = page.getByRole('link', { name: 'Look again' });
  await again.focus();
  await lookTwice();
  expect(await page.locator('[data-look-again]:focus').count()).toBe(1);
  await context.setOffline(true);
  await lookTwice();
  expect(await page.locator('[data-look-again]:focus').count()).toBe(1);
  await context.setOffline(false);
  await client.end();
  await until('the page shows that the work has ended', async () => {
    await page.clock.runFor(2_000);
    return (await again.count()) === 0;
  });
  await page.getByText('so nothing was imported. Compare the file again.').waitFor();
  await context.close();
});
