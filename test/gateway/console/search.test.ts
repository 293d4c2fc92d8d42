/** The search over everything in the explorer. */
import { beforeAll, expect, test } from '@jest/globals';
import { loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { contest, election } from '../../helpers/ballots/catalogue-records.ts';
import { TABLE_BALLOT } from '../../helpers/ballots/table-ballot.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService({ catalogue: TABLE_BALLOT, gatewayConfig: { today: '2026-11-02' } });
let member: ConsoleClient;

beforeAll(async () => {
  member = await ConsoleClient.signIn(service, { role: 'member' });
});

/** The groups of a search, each with the texts of its links. */
async function search(q: string, more: Record<string, string> = {}): Promise<Record<string, string[]>> {
  const { status, html } = await member.get(
    `/console/explorer/search?${new URLSearchParams({ q, ...more })}`,
  );
  expect(status).toBe(200);
  return Object.fromEntries(
    [...html.matchAll(/<h2>([^<]+)<\/h2>\s*<ul>(.*?)<\/ul>/gs)].map(([, title = '', items = '']) => [
      title,
      [...items.matchAll(/<a [^>]*>(?:<span[^>]*>)?([^<]+)</g)].map(([, text = '']) => text),
    ]),
  );
}

test('one search finds contests, choices, elections and endorsers, whatever their accents and the order of words', async () => {
  expect(await search('GOVERNOR')).toEqual({ Contests: ['Governor of Oregon'] });
  expect(await search('nunez jose')).toEqual({ 'Candidates and choices': ['José Núñez'] });
  expect(await search('sierra')).toEqual({ Endorsers: ['Sierra Club'] });
  expect(await search('oregon general')).toEqual({ Elections: ['Oregon general 2026'] });
  expect(await search('senate 5')).toMatchObject({ Contests: ['State Senator, 5th District'] });
  expect(await search('título')).toEqual({ Contests: ['Title of prop-1'] });
  expect(await search('titulo', { lang: 'es' })).toEqual({ Contests: ['Título de prop-1'] });
});

test('contests and choices of one name are told apart by their place', async () => {
  const find = async (q: string) => (await member.get(`/console/explorer/search?q=${q}`)).html;
  expect(await find('Governor')).toContain('Fernville, OR, <span class="day">2026-11-03<');
  expect(await find('Kotek')).toContain('Fernville, OR, <span class="day">2026-11-03<');
});

test('what is removed is not found, and a search for nothing finds nothing', async () => {
  await service.query(`UPDATE choices SET removed_at = now() WHERE label = 'Christine Drazan'`);
  expect(await search('Drazan')).toEqual({});
  await service.query('UPDATE choices SET removed_at = NULL');
  expect(await search('Drazan')).toEqual({ 'Candidates and choices': ['Christine Drazan'] });
  for (const nothing of ['zzz', '’', '" <b>', '%']) expect(await search(nothing)).toEqual({});
  expect((await member.get('/console/explorer/search?q=+')).html).toContain('Search for a name above.');
});

test('each kind shows ten, those of the nearest upcoming election first, and says that there are more', async () => {
  await service.query(
    `INSERT INTO endorsers (slug, name, category, state) SELECT 'many-' || n, 'Many ' || n, 'labor', 'OR' FROM generate_series(1, 12) n`,
  );
  const { html } = await member.get('/console/explorer/search?q=many');
  expect(html.match(/>Many \d+</g)).toHaveLength(10);
  expect(html).toContain('href="/console/explorer/endorsers?q=many">All endorsers that fit');
  const { html: people } = await member.get('/console/explorer/search?q=bob');
  expect(people).not.toContain('There are more');
  const slug = 'or-2026-12-01-special';
  const numbers = Array.from({ length: 11 }, (_, index) => index + 1);
  await loadCatalogue(service.databaseUrl, [
    ['elections', election({ slug, date: '2026-12-01' })],
    ...numbers.map((number): (typeof TABLE_BALLOT)[number] => [
      'contests',
      contest(`warden-${number}`, { election: slug, title: `Warden ${number}` }),
    ]),
  ]);
  expect((await search('warden')).Contests).toHaveLength(10);
  expect((await member.get('/console/explorer/search?q=warden')).html).toContain(
    'There are more: add a word.',
  );
});

test('contests of upcoming elections come first, then past ones, the nearest first', async () => {
  for (const [slug, date] of [
    ['or-2020-11-03-general', '2020-11-03'],
    ['or-2028-11-07-general', '2028-11-07'],
    ['or-2024-11-05-general', '2024-11-05'],
    ['or-2027-05-18-special', '2027-05-18'],
  ] as const) {
    await loadCatalogue(service.databaseUrl, [
      ['elections', election({ slug, date, name: slug })],
      ['contests', contest('coroner', { election: slug, title: `Coroner ${date}` })],
    ]);
  }
  const dates = ['2027-05-18', '2028-11-07', '2024-11-05', '2020-11-03'];
  expect(await search('coroner')).toEqual({ Contests: dates.map((date) => `Coroner ${date}`) });
  const elections = await search('or general');
  expect(elections.Elections?.at(-1)).toBe('or-2020-11-03-general');
});

test('every page of the explorer has the search, and it keeps the language', async () => {
  const { html } = await member.get('/console/explorer/coverage?lang=es');
  expect(html).toMatch(/<form[^>]*role="search"[^>]*action="\/console\/explorer\/search"/);
  expect(html).toContain('<input type="hidden" name="lang" value="es"');
});
