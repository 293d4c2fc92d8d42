import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formatPageCursor } from '../../schemas/page-cursor.ts';
import { endorse, loadCatalogue, pick, position, SMALL_BALLOT, withdraw } from '../helpers/catalogue.ts';
import { expectSameAtEveryPageSize } from '../helpers/paging.ts';
import { expectSchema } from '../helpers/response-schema.ts';
import { TestService } from '../helpers/service.ts';
import { choice, contest, election, endorser } from '../ops/catalog-helpers.ts';

const OREGON = 'or-2026-11-03-general';
const PAST = 'tx-2026-11-02-special';
const TEXT = ' «¿Sí?» "100 %" \\o/ 日本 \u{1f5f3}\n\tIts end.';

const district = (level: string, name: string, ocd_id: string | null = null) => ({
  ocd_id,
  name,
  level,
  type: 'place',
  state: 'TX',
});

/** A contest of Texas, which only these tests have. */
const texan = (slug: string, ballot_order: number, place: object, values = {}) =>
  contest(slug, { election: PAST, ballot_order, district: place, ...values });

const NATION = {
  ocd_id: 'ocd-division/country:us',
  name: 'United States',
  level: 'federal',
  type: 'nation',
  state: null,
};

const TEXANS = [
  texan('trustee', 1, district('school', 'Fern ISD')),
  texan('alderman', 2, district('city', 'Fern')),
  texan('water', 3, district('special', 'Fern MUD')),
  texan('judge', 4, district('county', 'Fern County', 'ocd-division/country:us/state:tx/county:fern')),
  texan('tax', 5, district('state', 'Texas', 'ocd-division/country:us/state:tx'), {
    kind: 'measure',
    vote_method: 'yes_no',
    votes_allowed: null,
    choices: [
      choice('yes', { measure_answer: 'yes', candidate: null }),
      choice('no', { measure_answer: 'no', candidate: null }),
    ],
  }),
  texan('president', 6, NATION, {
    title_es: 'Presidente',
    description: TEXT,
    source_url: 'https://tx.example/ballot',
    details: { term: '4 years', uncontested: null },
    choices: [
      choice('zoe', {
        label: 'Zoë',
        label_es: 'Zoé',
        party: 'Green',
        party_label: 'GRN',
        party_label_es: 'VRD',
        ballot_designation: 'Teacher',
        withdrawn: true,
      }),
      choice('none', { label: 'None of these', candidate: null, option: 'none_of_these' }),
    ],
  }),
];

let service: TestService;
/** Ids of contests by their short titles. */
const ids = new Map<string, number>();

beforeAll(async () => {
  service = await TestService.start({
    catalogue: [
      ...SMALL_BALLOT,
      [
        'elections',
        election({
          slug: PAST,
          name: 'Texas special 2026',
          state: 'TX',
          date: '2026-11-02',
          type: 'special',
        }),
      ],
      ...[...TEXANS, texan('removed', 1, NATION)].map(
        (record) => ['contests', record] as ['contests', object],
      ),
      ['endorsers', endorser({ slug: 'abc', name: 'A B C', category: 'newspaper', state: 'TX' })],
    ],
    gatewayConfig: { today: '2026-11-04' },
  });
  const { body } = await service.get('/v1/contests');
  for (const { short_title, id } of body.data) ids.set(short_title, id);
  await loadCatalogue(
    service.databaseUrl,
    TEXANS.map((record) => ['contests', record]),
  );
  await service.submit([
    position('nation-herald', 'sheriff', [
      pick('dee', { rank: 1 }),
      pick('ann', { rank: 2, statement: TEXT }),
    ]),
    position('bakers-local-1', 'sheriff', [pick('cyd', { statement: 'Yes.', statement_es: 'Sí.' })]),
    position('abc', 'council', [
      pick('bob'),
      pick('ann', { source_url: 'https://abc.example/', published_on: '2026-10-01' }),
    ]),
    endorse('coast-gazette', 'sheriff', 'bob', { rank: 1 }),
    endorse('abc', 'sheriff', 'bob'),
    withdraw('abc', 'sheriff', 'bob'),
  ]);
  await service.eventsOnceThereAre(8);
});
afterAll(() => service.stop());

async function list(query: string): Promise<string[]> {
  const { status, body } = await service.get(`/v1/contests?${query}`);
  expect(status).toBe(200);
  expectSchema('/v1/contests', body);
  return body.data.map(({ short_title }: { short_title: string }) => short_title);
}

const PRESIDENT = {
  id: expect.any(Number),
  title: 'Title of president',
  short_title: 'president',
  description: TEXT,
  kind: 'candidate',
  vote_method: 'plurality',
  votes_allowed: 1,
  ranks_allowed: null,
  measure_code: null,
  ballot_order: 6,
  source_url: 'https://tx.example/ballot',
  district: { id: expect.any(Number), ...NATION },
  election: {
    id: expect.any(Number),
    slug: PAST,
    name: 'Texas special 2026',
    date: '2026-11-02',
    state: 'TX',
    type: 'special',
  },
  choices: [
    {
      id: expect.any(Number),
      label: 'Zoë',
      measure_answer: null,
      candidate: { id: expect.any(Number), full_name: 'zoe' },
      party: 'Green',
      party_label: 'GRN',
      withdrawn: true,
      ballot_designation: 'Teacher',
    },
    {
      id: expect.any(Number),
      label: 'None of these',
      measure_answer: null,
      candidate: null,
      party: null,
      option: 'none_of_these',
      withdrawn: false,
      ballot_designation: null,
    },
  ],
  details: { term: '4 years', source_url: 'https://tx.example/ballot' },
};

describe('GET /v1/contests', () => {
  test('shows a contest, its text byte for byte, with all fields', async () => {
    const { body } = await service.get('/v1/contests?levels=federal');
    expect(body).toEqual({ data: [PRESIDENT], next_cursor: null });
  });

  test('answers in Spanish where there is some, in English elsewhere, field by field', async () => {
    const { body } = await service.get('/v1/contests?levels=federal&lang=es');
    const [zoe, none] = PRESIDENT.choices;
    const choices = [{ ...zoe, label: 'Zoé', party_label: 'VRD' }, none];
    expect(body.data).toEqual([{ ...PRESIDENT, title: 'Presidente', choices }]);
  });

  const TEXAN = ['president', 'tax', 'trustee', 'alderman', 'water', 'judge'];
  const OREGONIAN = ['mayor', 'council', 'sheriff'];
  test.each([
    [
      '',
      ['president', 'prop-1', 'tax', 'mayor', 'trustee', 'council', 'alderman', 'sheriff', 'water', 'judge'],
    ],
    ['states=TX', TEXAN],
    ['states=OR,CA', ['prop-1', ...OREGONIAN]],
    ['states=WY', []],
    [`elections=${OREGON}`, OREGONIAN],
    ['elections=never-held', []],
    ['levels=city,school', ['mayor', 'trustee', 'council', 'alderman', 'sheriff']],
    ['levels=state,federal', ['president', 'prop-1', 'tax']],
    ['contest_kinds=measure', ['prop-1', 'tax']],
    ['contest_kinds=retention', []],
    ['contest_kinds=measure,candidate&states=TX&levels=state', ['tax']],
    ['districts=ocd-division/country:us/state:tx', ['tax']],
    [
      'districts=ocd-division/country:us/state:tx/county:fern,ocd-division/country:us',
      ['president', 'judge'],
    ],
    ['districts=ocd-division/country:us/state:zz', []],
    ['districts=Fern', []],
    ['upcoming=true', ['prop-1', ...OREGONIAN]],
    ['upcoming=false&states=TX', TEXAN],
    ['upcoming=true&states=TX', []],
  ])('with %s: federal, state, then local, in ballot order', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  test('gives the same list at every page size', () => expectSameAtEveryPageSize(service, '/v1/contests'));

  test('orders a contest by the district that it has now', async () => {
    const moved = texan('water', 3, district('federal', 'Fern Basin'));
    await loadCatalogue(
      service.databaseUrl,
      [...TEXANS.filter(({ slug }) => slug !== 'water'), moved].map((record) => ['contests', record]),
    );
    expect(await list('states=TX')).toEqual(['water', 'president', 'tax', 'trustee', 'alderman', 'judge']);
    await loadCatalogue(
      service.databaseUrl,
      TEXANS.map((record) => ['contests', record]),
    );
    expect(await list('states=TX')).toEqual(TEXAN);
  });

  test.each([
    ['levels=galactic', 'levels[0] must be one of federal, state, county, city, school, special'],
    ['contest_kinds=race', 'contest_kinds[0] must be one of candidate, measure, retention'],
    ['states=national', 'states[0] must be one of AK'],
    ['district=x', 'Did you mean districts?'],
    ['limit=1e1', 'limit must be'],
    [`cursor=${formatPageCursor('contests', [0, 1])}`, 'it does not have the form of one'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await service.get(`/v1/contests?${query}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toContain(message);
  });

  test('takes a cursor with numbers of any size', async () => {
    expect(await list(`cursor=${formatPageCursor('contests', [2, 9e15, 9e15])}`)).toEqual([]);
  });
});

describe('GET /v1/contests/{id}', () => {
  interface Shown {
    endorser: { slug: string };
    picks: { label: string; rank: number | null }[];
  }

  async function positions(of: string, query = ''): Promise<string[]> {
    const { status, body } = await service.get(`/v1/contests/${ids.get(of)}?${query}`);
    expect(status).toBe(200);
    expectSchema('/v1/contests/{id}', body);
    return body.data.endorsements.map(({ endorser: { slug }, picks }: Shown) =>
      [slug, ...picks.map(({ label, rank }) => (rank === null ? label : `${label} ${rank}`))].join(' '),
    );
  }

  test('is the record of the list, with the positions', async () => {
    const { body } = await service.get(`/v1/contests/${ids.get('president')}`);
    expect(body).toEqual({ data: { ...PRESIDENT, endorsements: [] } });
  });

  test('shows a pick with all fields, its text byte for byte', async () => {
    const { body } = await service.get(`/v1/contests/${ids.get('sheriff')}?endorsers=nation-herald`);
    expect(body.data.endorsements).toEqual([
      {
        endorser: {
          id: expect.any(Number),
          slug: 'nation-herald',
          name: 'Nation Herald',
          category: { slug: 'newspaper', name: 'Newspaper' },
          state: 'national',
        },
        picks: ['dee', 'ann'].map((label, index) => ({
          choice_id: body.data.choices.find((shown: { label: string }) => shown.label === label).id,
          label,
          measure_answer: null,
          rank: index + 1,
          statement: label === 'ann' ? TEXT : null,
          source_url: null,
          published_on: null,
        })),
      },
    ]);
  });

  test.each([
    ['sheriff', '', ['bakers-local-1 cyd', 'coast-gazette bob 1', 'nation-herald dee 1 ann 2']],
    ['council', '', ['abc ann bob']],
    ['mayor', '', []],
    ['sheriff', 'categories=labor', ['bakers-local-1 cyd']],
    [
      'sheriff',
      'categories=labor,newspaper&endorser_states=CA,OR',
      ['bakers-local-1 cyd', 'coast-gazette bob 1'],
    ],
    ['sheriff', 'endorser_states=national,TX', ['nation-herald dee 1 ann 2']],
    ['sheriff', 'endorsers=coast-gazette,abc', ['coast-gazette bob 1']],
    ['sheriff', 'endorsers=nobody', []],
  ])('positions in %s with %s, by name, in rank or ballot order', async (of, query, expected) => {
    expect(await positions(of, query)).toEqual(expected);
  });

  test('shows statements in Spanish where there are some', async () => {
    const { body } = await service.get(
      `/v1/contests/${ids.get('sheriff')}?lang=es&endorser_states=OR,national`,
    );
    const statements = body.data.endorsements.map(({ picks }: { picks: { statement: string }[] }) =>
      picks.map(({ statement }) => statement),
    );
    expect(statements).toEqual([['Sí.'], [null, TEXT]]);
  });

  test('404 for a contest that is no more, or never was', async () => {
    for (const id of [ids.get('removed'), 2147483648, 999999999999999]) {
      const { status, body } = await service.get(`/v1/contests/${id}`);
      expect([status, body.error.code, body.error.message]).toEqual([
        404,
        'not_found',
        `There is no contest ${id}.`,
      ]);
    }
  });

  test.each([['abc'], ['0'], ['1.5'], ['-1'], ['01'], ['1abc'], ['9'.repeat(30)]])(
    'refuses the id %s',
    async (id) => {
      const { status, body } = await service.get(`/v1/contests/${id}`);
      expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
      expect(body.error.message).toContain('id must be a whole number from 1');
    },
  );
});

describe('GET /v1/endorsements/{id}', () => {
  test('shows an endorsement in full', async () => {
    const { body: listed } = await service.get('/v1/endorsements?endorsers=abc');
    const { id } = listed.data.find(
      ({ choice: { label } }: { choice: { label: string } }) => label === 'ann',
    );
    const { status, body } = await service.get(`/v1/endorsements/${id}`);
    expect(status).toBe(200);
    expectSchema('/v1/endorsements/{id}', body);
    const { body: council } = await service.get(`/v1/contests/${ids.get('council')}`);
    const { choices, endorsements, ...contestOfIt } = council.data;
    expect(body.data).toEqual({
      id,
      rank: null,
      statement: null,
      source_url: 'https://abc.example/',
      published_on: '2026-10-01',
      updated_at: expect.stringMatching(/^2.*Z$/),
      endorser: endorsements[0].endorser,
      contest: contestOfIt,
      choice: choices[0],
    });
    expect(choices[0].label).toBe('ann');
  });

  test('in Spanish where there is some', async () => {
    const { body: listed } = await service.get('/v1/endorsements?endorsers=bakers-local-1');
    const { body } = await service.get(`/v1/endorsements/${listed.data[0].id}?lang=es`);
    expect(body.data).toMatchObject({ statement: 'Sí.', contest: { title: 'Title of sheriff' } });
  });

  test('404 for one that was withdrawn, or never was', async () => {
    const { data } = await service.events();
    const [deleted] = data.filter(({ type }) => type === 'endorsement.deleted');
    for (const id of [deleted.endorsement.id, 999999999999999]) {
      const { status, body } = await service.get(`/v1/endorsements/${id}`);
      expect([status, body.error.code, body.error.message]).toEqual([
        404,
        'not_found',
        `There is no endorsement ${id}.`,
      ]);
    }
  });

  test('400 for an id that is no number', async () => {
    const { status, body } = await service.get('/v1/endorsements/abc');
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
  });
});
