import { beforeAll, describe, expect, test } from '@jest/globals';
import { describeListing, formatPageCursor } from '../../../schemas/page-cursor.ts';
import { lines, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { category, election, endorser } from '../../helpers/ballots/catalogue-records.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { expectSameAtEveryPageSize } from '../../helpers/http/paging.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { useTestService } from '../../helpers/service/service.ts';

const CALIFORNIA = 'ca-2026-11-03-general';
const OREGON = 'or-2026-11-03-general';
const DESCRIPTION = '«Prensa» since 1 900,\n\n"100 %" \\o/ \u{1f5f3}';

const service = useTestService({
  catalogue: [
    ...SMALL_BALLOT,
    ...lines('endorser-categories', [
      category({ slug: 'club', name: 'Clubs', singular_name: 'Club', name_es: 'Círculos' }),
    ]),
    ...lines('endorsers', [
      endorser({
        slug: 'opinion',
        name: 'La Opinión_100%',
        category: 'newspaper',
        state: 'CA',
        description: DESCRIPTION,
        description_es: 'Diario.',
        url: 'https://opinion.example/',
        logo_url: 'https://opinion.example/logo.svg',
        details: { kept: 'not shown' },
      }),
      endorser({ slug: 'union', name: 'UNIÓN \\ Ñandú', state: 'TX' }),
      endorser({ slug: 'workers', name: 'Workers’ Łódź–ʻAmauʻu', state: 'WA' }),
      endorser({ slug: 'union-of-2', name: 'UNIÓN \\ Ñandú', state: 'TX' }),
    ]),
    ['elections', election({ slug: 'or-2024-05-21-primary', date: '2024-05-21', type: 'primary' })],
  ],
});
beforeAll(async () => {
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann'),
    endorse('bakers-local-1', 'council', 'ann'),
    endorse('bakers-local-1', 'council', 'bob'),
    endorse('bakers-local-1', 'prop-1', 'yes'),
    endorse('coast-gazette', 'prop-1', 'no'),
  ]);
  await service.eventsOnceThereAre(5);
});

async function list(query: string): Promise<string[]> {
  const { status, body } = await service.get(`/v1/endorsers?${query}`);
  expect(status).toBe(200);
  expectSchema('/v1/endorsers', body);
  return body.data.map(({ slug }: { slug: string }) => slug);
}

const OPINION = {
  id: expect.any(Number),
  slug: 'opinion',
  name: 'La Opinión_100%',
  category: { slug: 'newspaper', name: 'Newspaper' },
  state: 'CA',
  description: DESCRIPTION,
  website_url: 'https://opinion.example/',
  logo_url: 'https://opinion.example/logo.svg',
  endorsement_count: 0,
};

describe('GET /v1/endorsers', () => {
  test('shows an endorser, its text byte for byte, with all fields', async () => {
    const { body } = await service.get('/v1/endorsers?q=Opini');
    expect(body).toEqual({ data: [OPINION], next_cursor: null });
  });

  test('answers in Spanish if it is translated, otherwise in English, field by field', async () => {
    const { body } = await service.get('/v1/endorsers?categories=newspaper,labor&states=CA,OR&lang=es');
    const texts = body.data.map((e: typeof OPINION) => [e.slug, e.category.name, e.description]);
    expect(texts).toEqual([
      ['bakers-local-1', 'Labor union', null],
      ['coast-gazette', 'Periódico', null],
      ['opinion', 'Periódico', 'Diario.'],
    ]);
  });

  const ALL = [
    'bakers-local-1',
    'coast-gazette',
    'opinion',
    'nation-herald',
    'union',
    'union-of-2',
    'workers',
  ];
  test.each([
    ['', ALL],
    ['categories=newspaper', ['coast-gazette', 'opinion', 'nation-herald']],
    ['categories=newspaper,labor', ALL],
    ['categories=club', []],
    ['categories=unheard-of', []],
    ['states=CA', ['coast-gazette', 'opinion']],
    ['states=national', ['nation-herald']],
    ['states=national,OR', ['bakers-local-1', 'nation-herald']],
    [`elections=${OREGON}`, ['bakers-local-1']],
    [`elections=${OREGON},${CALIFORNIA}`, ['bakers-local-1', 'coast-gazette']],
    [`elections=${CALIFORNIA}&states=CA`, ['coast-gazette']],
    ['elections=or-2024-05-21-primary', []],
    ['elections=never-held', []],
    ['q=ion', ['opinion', 'nation-herald', 'union', 'union-of-2']],
    ['q=IÓN', ['opinion', 'nation-herald', 'union', 'union-of-2']],
    ['q=io%CC%81n', ['opinion', 'nation-herald', 'union', 'union-of-2']],
    ['q=nandu', ['union', 'union-of-2']],
    ['q=%25', ['opinion']],
    ['q=100%25', ['opinion']],
    ['q=_', ['opinion']],
    ['q=_1', ['opinion']],
    ['q=%5C', ['union', 'union-of-2']],
    ['q=%5C%25', []],
    ['q=%27', ['workers']],
    ["q=workers' lodz-amauu", ['workers']],
    ['q=S%E2%80%99 Ł', ['bakers-local-1', 'workers']],
    ['q=%CA%BBama', ['workers']],
    ["q=ama'u'u", ['workers']],
    ['q=ama%60uu', ['workers']],
    ['q=%C2%A0workers%20%20%C5%81', ['workers']],
    ['q=a+h', []],
    ['q=n+h&states=national', ['nation-herald']],
  ])('with %s, by name and id', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  test('gives the same list at every page size', () => expectSameAtEveryPageSize(service, '/v1/endorsers'));

  test.each([
    ['states=US', 'states[0] must be one of AK, AL'],
    ['q=', 'q must be text of 1 to 200 characters, is "".'],
    [`q=${'a'.repeat(201)}`, 'q must be text of 1 to 200 characters'],
    ['q=%00', 'NUL'],
    ['lang=EN', 'lang must be en or es'],
    ['endorser_states=CA', 'There is no parameter "endorser_states" here.'],
    ['categories=labor,,party', 'categories has an empty item'],
    [
      `cursor=${formatPageCursor(describeListing('endorsers', { lang: 'en' }), ['a', 'b'])}`,
      'it has the wrong form',
    ],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await service.get(`/v1/endorsers?${query}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toContain(message);
  });
});

describe('GET /v1/endorsers/{slug}', () => {
  test('shows the elections that an endorser has endorsed in, and the number of contests', async () => {
    const { status, body } = await service.get('/v1/endorsers/bakers-local-1');
    expect(status).toBe(200);
    expectSchema('/v1/endorsers/{slug}', body);
    expect(body.data).toMatchObject({ slug: 'bakers-local-1', endorsement_count: 4 });
    expect(body.data.elections).toEqual([
      { election: CALIFORNIA, name: 'California general 2026', date: '2026-11-03', contests: 1 },
      { election: OREGON, name: 'Oregon general 2026', date: '2026-11-03', contests: 2 },
    ]);
  });

  test('shows the newest election first', async () => {
    const move = (date: string) =>
      service.query(`UPDATE elections SET date = '${date}' WHERE slug = '${OREGON}'`);
    await move('2026-11-04');
    const { body } = await service.get('/v1/endorsers/bakers-local-1?lang=en');
    await move('2026-11-03');
    expect(body.data.elections.map(({ date }: { date: string }) => date)).toEqual([
      '2026-11-04',
      '2026-11-03',
    ]);
  });

  test('is the record of the list with its elections', async () => {
    const { body } = await service.get('/v1/endorsers/opinion');
    expect(body).toEqual({ data: { ...OPINION, elections: [] } });
    const { body: spanish } = await service.get('/v1/endorsers/opinion?lang=es');
    expect(spanish.data.description).toBe('Diario.');
  });

  test.each([['nobody'], ['Opinion'], ['1'], ['%25'], ['a%27b']])('404 for %s', async (slug) => {
    const { status, body } = await service.get(`/v1/endorsers/${slug}`);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect(body.error.message).toBe(`There is no endorser ${decodeURIComponent(slug)}.`);
  });

  test('refuses parameters of the list', async () => {
    const { status } = await service.get('/v1/endorsers/opinion?limit=1');
    expect(status).toBe(400);
  });
});

describe('GET /v1/endorser-categories', () => {
  test.each([
    ['', ['Clubs', 'Labor union', 'Newspaper']],
    ['?lang=es', ['Círculos', 'Labor union', 'Periódico']],
  ])(
    'lists every category%s; one without a singular name has its name instead',
    async (query, [clubs, labor, newspaper]) => {
      const { body } = await service.get(`/v1/endorser-categories${query}`);
      expectSchema('/v1/endorser-categories', body);
      expect(body).toEqual({
        data: [
          { slug: 'club', name: clubs, singular_name: 'Club', endorser_count: 0 },
          { slug: 'labor', name: labor, singular_name: labor, endorser_count: 4 },
          { slug: 'newspaper', name: newspaper, singular_name: newspaper, endorser_count: 3 },
        ],
      });
    },
  );

  test('accepts no limit', async () => {
    const { status, body } = await service.get('/v1/endorser-categories?limit=1');
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
  });
});
