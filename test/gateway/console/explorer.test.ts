import { beforeAll, expect, test } from '@jest/globals';
import { loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { contest, election } from '../../helpers/ballots/catalogue-records.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { importPeople } from '../../helpers/officeholders/import-people.ts';
import { person, role } from '../../helpers/officeholders/people-checkout.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService({ gatewayConfig: { today: '2026-11-01' } });
let client: ConsoleClient;

beforeAll(async () => {
  client = await ConsoleClient.signIn(service, { role: 'member' });
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann', { statement: 'She listens.', statement_es: 'Escucha.' }),
  ]);
  await service.eventsOnceThereAre(1);
});

/** The address in the panel beside the data. */
const requestOf = (html: string): string =>
  (/GET (\/v1[^<]*)</.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');

/** A page whose own request succeeds with a key. */
async function open(path: string): Promise<string> {
  const { status, html } = await client.get(path);
  expect(status).toBe(200);
  expect(html).toContain(`${service.url('')}${requestOf(html).replaceAll('&', '&amp;')}`);
  const answer = await service.get(requestOf(html));
  expect(answer.status).toBe(200);
  return html;
}

/** The target of the first link with this text. */
function linkTo(html: string, text: string): string {
  const [, href] = new RegExp(`<a href="([^"]+)"[^>]*>${text}`).exec(html) ?? [];
  if (href === undefined) throw new Error(`There is no link "${text}" in ${html}`);
  return href.replaceAll('&amp;', '&');
}

test('links lead from elections to a contest, its positions and an endorser', async () => {
  const { data } = (await service.get('/v1/contests?limit=1')).body;
  const [contest] = data;
  const elections = await open('/console/explorer');
  const election = await open(linkTo(elections, contest.election.name));
  const shown = await open(linkTo(election, contest.title));
  for (const { label } of contest.choices) expect(shown).toContain(label);
});

test('a contest shows the positions of its endorsers', async () => {
  const { data } = (await service.get('/v1/endorsements')).body;
  const html = await open(`/console/explorer/contests/${data[0].contest.id}`);
  expect(html).toContain(data[0].endorser.name);
  expect(html).toContain('She listens.');
  expect(await open(linkTo(html, data[0].endorser.name))).toContain('Elections that it has endorsed in');
});

test('the guide marks the choice of the chosen endorsers and names the request', async () => {
  const { data } = (await service.get('/v1/endorsements')).body;
  const { election, endorser, choice } = data[0];
  const html = await open(
    `/console/explorer/guide?state=${election.state}&categories=${endorser.category.slug}`,
  );
  expect(html).toContain('All agree');
  expect(html).toContain(choice.label);
  expect(requestOf(html)).toContain(`categories=${endorser.category.slug}`);
});

test.each([
  ['/console/explorer?states=CA', '/v1/elections?states=CA'],
  ['/console/explorer?upcoming=true&states=&lang=es', '/v1/elections?upcoming=true&lang=es'],
  ['/console/explorer/endorsers?q=local&categories=', '/v1/endorsers?q=local'],
  [
    '/console/explorer/guide?state=TX&categories=labor&categories=party',
    '/v1/recommendations?state=TX&categories=labor,party&only_endorsed=true',
  ],
  [
    '/console/explorer/guide?state=CA&endorsers=coast-gazette%2C+bakers-local-1%2C',
    '/v1/recommendations?state=CA&endorsers=coast-gazette,bakers-local-1&only_endorsed=true',
  ],
  ['/console/explorer/endorsers?q=Local+1%2C+Bakers', '/v1/endorsers?q=Local+1,+Bakers'],
])('%s asks %s', async (path, request) => {
  expect(requestOf((await client.get(path)).html)).toBe(request);
});

test('filters survive to the next page, and pages end', async () => {
  const seen = new Set<string>();
  for (let path = '/console/explorer/endorsers?states='; path !== ''; ) {
    const html = await open(path);
    for (const [, slug] of html.matchAll(/explorer\/endorsers\/([\w-]+)"/g)) seen.add(slug ?? '');
    const [, next] = /href="(\?[^"]+)">Next page/.exec(html) ?? [];
    path = next ? `/console/explorer/endorsers${next.replaceAll('&amp;', '&')}` : '';
  }
  const { data } = (await service.get('/v1/endorsers?limit=500')).body;
  expect(seen).toEqual(new Set(data.map(({ slug }: { slug: string }) => slug)));
});

test.each([
  ['an unknown state', '/console/explorer?states=XX', 400, 'XX'],
  ['an unknown endorser in a guide', '/console/explorer/guide?state=CA&endorsers=nobody', 400, 'nobody'],
  ['a cursor of another list', '/console/explorer?cursor=abc', 400, 'cursor'],
  ['a contest that does not exist', '/console/explorer/contests/999999', 404, '999999'],
  ['a contest with an invalid id', '/console/explorer/contests/x', 400, 'x'],
  ['an endorser that does not exist', '/console/explorer/endorsers/nobody', 404, 'nobody'],
  ['an election that does not exist', '/console/explorer/elections/nowhere', 404, 'no election nowhere'],
  ['an election of two slugs', '/console/explorer/elections/nowhere,nobody', 404, 'nowhere,nobody'],
  ['an election whose slug has a NUL', '/console/explorer/elections/a%00b', 400, 'elections'],
  [
    'an unknown level of an election',
    '/console/explorer/elections/or-2026-11-03-general?levels=moon',
    400,
    'moon',
  ],
])('%s is named in a sentence', async (_what, path, status, named) => {
  const page = await client.get(path);
  expect(page.status).toBe(status);
  expect(page.html).toContain(named);
});

test('an election without contests shows its name and says that it has none yet', async () => {
  const slug = 'or-2027-05-18-special';
  const name = 'Oregon special 2027';
  const name_es = 'Elección especial de Oregón 2027';
  await loadCatalogue(service.databaseUrl, [['elections', election({ slug, name, name_es })]]);
  const page = `/console/explorer/elections/${slug}`;
  const html = await open(page);
  expect(html).toContain(`<h1>${name}</h1>`);
  expect(html).toContain('This election has no contests yet.');
  expect(await open(`${page}?lang=es`)).toContain(`<h1 lang="es">${name_es}</h1>`);
});

test('a filter without matches does not say that the election has no contests', async () => {
  const html = await open('/console/explorer/elections/or-2026-11-03-general?contest_kinds=measure');
  expect(html).toContain('<h1>Oregon general 2026</h1>');
  expect(html).toContain('This election has no such contest.');
});

test('every Spanish text is marked as Spanish, and the words of the console are not', async () => {
  const { data } = (await service.get('/v1/endorsements?lang=es')).body;
  const [{ contest, election, choice, endorser, statement }] = data;
  const texts: [string, string[]][] = [
    ['/console/explorer', [election.name]],
    [`/console/explorer/elections/${election.slug}`, [contest.title, contest.district.name, choice.label]],
    [
      `/console/explorer/contests/${contest.id}`,
      [election.name, contest.district.name, choice.label, endorser.category.name, statement],
    ],
    ['/console/explorer/endorsers', [endorser.category.name]],
    [`/console/explorer/endorsers/${endorser.slug}`, [endorser.category.name, election.name]],
    [`/console/explorer/guide?state=${election.state}`, [election.name, contest.title, choice.label]],
  ];
  for (const [path, expected] of texts) {
    const { html } = await client.get(`${path}${path.includes('?') ? '&' : '?'}lang=es`);
    for (const text of expected) {
      expect(html).toContain(`<span lang="es">${text}</span>`);
      // The filters offer English names.
      const others = html.replaceAll(/<(span|h1) lang="es">[^<]*<|<option[^<]*</g, '');
      expect([path, others.includes(`>${text}<`)]).toEqual([path, false]);
    }
    expect((await client.get(path)).html).not.toMatch(/<(span|h1) lang=/);
    expect(html).toContain('<h2>The request</h2>');
  }
  const title = (await client.get(`/console/explorer/contests/${contest.id}?lang=es`)).html;
  expect(title).toContain(`<h1 lang="es">${contest.title}</h1>`);
  const { html } = await client.get('/console/explorer?lang=es');
  expect(html).toContain('<h1>Explorer</h1>');
  expect(html).toContain('<option value="es" lang="es" selected>Español');
});

test('states to choose from have their names beside their codes', async () => {
  expect(await open('/console/explorer?states=OR')).toContain(
    '<option value="OR" selected>OR Oregon</option>',
  );
});

test('endorsers can be listed by the home state "national"', async () => {
  const html = await open('/console/explorer/endorsers?states=national');
  expect(html).toContain('<option value="national" selected>national</option>');
  expect(html).toContain('Nation Herald');
  expect(html).not.toContain('Coast Gazette');
  expect((await client.get('/console/explorer')).html).not.toContain('>national<');
});

test('every link of the explorer keeps the language, and one leads to the other', async () => {
  const { data } = (await service.get('/v1/endorsements')).body;
  const { contest, election, endorser } = data[0];
  for (const path of [
    '/console/explorer',
    `/console/explorer/elections/${election.slug}`,
    `/console/explorer/contests/${contest.id}`,
    '/console/explorer/endorsers',
    `/console/explorer/endorsers/${endorser.slug}`,
    '/console/explorer/coverage',
  ]) {
    const main = (html: string) => html.split('<main')[1] ?? '';
    const links = [
      ...main((await open(`${path}?lang=es`)).replaceAll('&amp;', '&')).matchAll(
        /href="(\/console\/explorer[^"]*)"/g,
      ),
    ];
    expect(links.length).toBeGreaterThan(4);
    expect([path, links.map(([, href]) => href).filter((href) => !/[?&]lang=es/.test(href ?? ''))]).toEqual([
      path,
      [],
    ]);
    expect(linkTo(await open(`${path}?lang=es`), 'English')).toBe('?');
    expect(linkTo(await open(path), 'Español')).toBe('?lang=es');
  }
});

test('the other language begins at the first page, because a cursor is of one language', async () => {
  const { next_cursor } = (await service.get('/v1/elections?upcoming=true&limit=1')).body;
  const html = await open(`/console/explorer?upcoming=true&cursor=${next_cursor}`);
  const other = linkTo(html, 'Español');
  expect(other).toBe('?upcoming=true&lang=es');
  await open(`/console/explorer${other}`);
});

test('a contest has the tally of its endorsers, of the chosen ones if some are chosen', async () => {
  const { data } = (await service.get('/v1/endorsements')).body;
  const path = `/console/explorer/contests/${data[0].contest.id}`;
  const html = await open(path);
  expect(html).toContain('All agree · 1 endorser took a position');
  expect(html).toMatch(
    />ann<.*?<td class="number">1<\/td><td><meter min="0" max="1" value="1" aria-label="1 of 1"><\/meter><\/td><td>yes<\/td>/,
  );
  expect(await open(`${path}?categories=newspaper`)).not.toContain('Tally');
});

test('an endorser has its endorsements, each with its history', async () => {
  const html = await open('/console/explorer/endorsers/bakers-local-1');
  expect(html).toContain('<details open><summary>Elections that it has endorsed in: 1</summary>');
  expect(html).toMatch(
    /Its endorsements.*Title of mayor.*ann.*She listens\..*\/console\/history\?endorser=bakers-local-1/s,
  );
});

test('coverage is a table of the states with elections, with totals', async () => {
  const html = await open('/console/explorer/coverage');
  const { data } = (await service.get('/v1/coverage')).body;
  const covered = data.filter((each: { election_count: number }) => each.election_count > 0);
  expect(html).toContain(`${covered.length} of 56 states and territories have an upcoming election.`);
  const total = (field: string) =>
    covered.reduce((sum: number, each: Record<string, number>) => sum + Number(each[field]), 0);
  const [elections, contests, measures] = ['election_count', 'contest_count', 'measure_count'].map(total);
  const cell = (text: unknown) => `<td class="number">${text}</td>`;
  expect(html).toContain(`Total</th>${cell(elections)}${cell(contests)}${cell(measures)}${cell('')}`);
  expect(linkTo(html, 'Oregon')).toBe('/console/explorer?states=OR');
});

test('coverage has the states in the order of their names', async () => {
  await loadCatalogue(
    service.databaseUrl,
    ['AK', 'AL'].map((state) => [
      'elections',
      election({ slug: `${state.toLowerCase()}-2026-11-03-general`, state }),
    ]),
  );
  const html = await open('/console/explorer/coverage');
  const names = [...html.matchAll(/<th scope="row"><a[^>]*>([^<]+)</g)].map(([, name]) => name);
  expect(names.slice(0, 2)).toEqual(['Alabama', 'Alaska']);
});

test('officeholders are found by name and state, and a service without them says so', async () => {
  const none = await client.get('/console/explorer/officeholders');
  expect([none.status, none.html.includes('loaded')]).toEqual([503, true]);
  await importPeople(service.databaseUrl, {
    'or/legislature/ann.yml': person(1, 'Ann Álvarez', [role('lower', 'state:or', { district: 7 })]),
    'ca/legislature/bo.yml': person(2, 'Bo Berg', [role('upper', 'state:ca', { district: 8 })]),
  });
  const found = async (query: string) =>
    [...(await open(`/console/explorer/officeholders${query}`)).matchAll(/<th scope="row">([^<]*)</g)].map(
      ([, name]) => name,
    );
  expect(await found('')).toEqual(['Ann Álvarez', 'Bo Berg']);
  expect(await found('?q=berg')).toEqual(['Bo Berg']);
  expect(await found('?states=OR')).toEqual(['Ann Álvarez']);
});

test('the endorsements of an endorser stand below a long list of elections, which is folded', async () => {
  const slugs = Array.from({ length: 20 }, (_, at) => `or-${2000 + at}-11-07-general`);
  await loadCatalogue(
    service.databaseUrl,
    slugs.flatMap((slug) => [
      ['elections', election({ slug, date: slug.slice(3, 13) })],
      ['contests', contest('clerk', { election: slug })],
    ]),
  );
  const endorsed = slugs.map((slug) => ({
    ...endorse('bakers-local-1', '', 'ann'),
    contest: `${slug}/clerk`,
  }));
  await service.submit(endorsed);
  await service.eventsOnceThereAre(21);
  const html = await open('/console/explorer/endorsers/bakers-local-1');
  expect(html).toContain('<details><summary>Elections that it has endorsed in: 21</summary>');
});
