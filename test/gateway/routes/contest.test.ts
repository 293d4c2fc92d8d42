import { beforeAll, describe, expect, test } from '@jest/globals';
import { loadCatalogue, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { endorse, pick, position, withdraw } from '../../helpers/ballots/submissions.ts';
import { LATER_TEXANS, PRESIDENT, TEXAN_BALLOT, TEXT } from '../../helpers/ballots/texan-ballot.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { useTestService } from '../../helpers/service/service.ts';

/** The ids of contests, by their short titles. */
const ids = new Map<string, number>();

const service = useTestService({ catalogue: [...SMALL_BALLOT, ...TEXAN_BALLOT] });
beforeAll(async () => {
  const { body } = await service.get('/v1/contests');
  for (const { short_title, id } of body.data) ids.set(short_title, id);
  await loadCatalogue(service.databaseUrl, LATER_TEXANS);
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

  test('is the record of the list with the positions', async () => {
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

  test('shows statements in Spanish if there are translations', async () => {
    const { body } = await service.get(
      `/v1/contests/${ids.get('sheriff')}?lang=es&endorser_states=OR,national`,
    );
    const statements = body.data.endorsements.map(({ picks }: { picks: { statement: string }[] }) =>
      picks.map(({ statement }) => statement),
    );
    expect(statements).toEqual([['Sí.'], [null, TEXT]]);
  });

  test('404 for a contest that was removed or never existed', async () => {
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

  test('answers in Spanish if there is a translation', async () => {
    const { body: listed } = await service.get('/v1/endorsements?endorsers=bakers-local-1');
    const { body } = await service.get(`/v1/endorsements/${listed.data[0].id}?lang=es`);
    expect(body.data).toMatchObject({ statement: 'Sí.', contest: { title: 'Title of sheriff' } });
  });

  test('404 for one that was withdrawn or never existed', async () => {
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

  test('400 for an id that is not a number', async () => {
    const { status, body } = await service.get('/v1/endorsements/abc');
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
  });
});
