import { beforeAll, describe, expect, test } from '@jest/globals';
import { endorse, pick, position, withdraw } from '../../helpers/ballots/submissions.ts';
import { expectSameAtEveryPageSize } from '../../helpers/http/paging.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

interface Listed {
  id: number;
  statement: string | null;
  endorser: { slug: string };
  contest: { title: string };
  choice: { label: string };
}

const service = useTestService();
beforeAll(async () => {
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Good.', statement_es: 'Buena.' }),
    endorse('bakers-local-1', 'council', 'bob'),
    endorse('coast-gazette', 'prop-1', 'yes', { source_url: 'https://gazette.example/prop-1' }),
    position('nation-herald', 'sheriff', [pick('cyd', { rank: 1 }), pick('ann', { rank: 2 })]),
    endorse('nation-herald', 'prop-1', 'no', { statement: 'Costly.', statement_es: '' }),
  ]);
  await service.eventsOnceThereAre(6);
});

async function list(query: string): Promise<string[]> {
  const { status, body } = await service.get(`/v1/endorsements?${query}`);
  expect(status).toBe(200);
  return body.data.map((n: Listed) => `${n.endorser.slug} ${n.choice.label}`);
}

describe('GET /v1/endorsements', () => {
  test('shows an endorsement with its place on the ballot', async () => {
    const { body } = await service.get('/v1/endorsements?endorsers=coast-gazette');
    expectSchema('/v1/endorsements', body);
    expect(body.data).toEqual([
      {
        id: expect.any(Number),
        rank: null,
        statement: null,
        source_url: 'https://gazette.example/prop-1',
        published_on: null,
        updated_at: expect.stringMatching(/^2.*Z$/),
        endorser: {
          id: expect.any(Number),
          slug: 'coast-gazette',
          name: 'Coast Gazette',
          category: { slug: 'newspaper', name: 'Newspaper' },
          state: 'CA',
        },
        contest: {
          id: expect.any(Number),
          title: 'Title of prop-1',
          short_title: 'prop-1',
          kind: 'measure',
          district: {
            id: expect.any(Number),
            ocd_id: 'ocd-division/country:us/state:ca',
            name: 'California',
            level: 'state',
            type: 'statewide',
            state: 'CA',
          },
        },
        election: {
          id: expect.any(Number),
          slug: 'ca-2026-11-03-general',
          name: 'California general 2026',
          date: '2026-11-03',
          state: 'CA',
          type: 'general',
        },
        choice: { id: expect.any(Number), label: 'Yes', measure_answer: 'yes', candidate: null, party: null },
      },
    ]);
  });

  test.each([
    [
      'categories=newspaper',
      ['coast-gazette Yes', 'nation-herald No', 'nation-herald ann', 'nation-herald cyd'],
    ],
    [
      'categories=labor,newspaper&states=OR&levels=city&contest_kinds=candidate&endorsers=bakers-local-1',
      ['bakers-local-1 ann', 'bakers-local-1 bob'],
    ],
    ['endorsers=coast-gazette,nobody', ['coast-gazette Yes']],
    ['endorser_states=national', ['nation-herald No', 'nation-herald ann', 'nation-herald cyd']],
    ['endorser_states=CA,OR', ['bakers-local-1 ann', 'bakers-local-1 bob', 'coast-gazette Yes']],
    ['states=CA', ['coast-gazette Yes', 'nation-herald No']],
    ['elections=ca-2026-11-03-general', ['coast-gazette Yes', 'nation-herald No']],
    ['contest_kinds=measure', ['coast-gazette Yes', 'nation-herald No']],
    ['levels=state', ['coast-gazette Yes', 'nation-herald No']],
    ['levels=federal', []],
    ['states=CA&categories=labor', []],
    ['elections=never-held', []],
  ])('filters by %s', async (query, expected) => {
    expect((await list(query)).sort()).toEqual(expected);
  });

  test('filters by contest', async () => {
    const { body } = await service.get('/v1/endorsements?endorsers=coast-gazette');
    const { id } = body.data[0].contest;
    expect((await list(`contest=${id}`)).sort()).toEqual(['coast-gazette Yes', 'nation-herald No']);
    expect(await list('contest=2147483647')).toEqual([]);
  });

  test('answers in Spanish if it is translated, otherwise in English', async () => {
    const { body } = await service.get('/v1/endorsements?lang=es');
    const texts = body.data.map((n: Listed) => [n.statement, n.contest.title, n.choice.label]);
    expect(texts).toEqual(
      expect.arrayContaining([
        ['Buena.', 'Title of mayor', 'ann'],
        [null, 'Título de prop-1', 'Sí'],
        ['Costly.', 'Título de prop-1', 'No'],
      ]),
    );
  });

  test.each(['states=OR,CA', 'endorsers=nation-herald,coast-gazette,bakers-local-1'])(
    'gives the same list of %s at every page size',
    (query) => expectSameAtEveryPageSize(service, '/v1/endorsements', `&${query}`),
  );

  test('returns each endorsement once, in the order of ids, while rows come and go', async () => {
    const seen: number[] = [];
    let cursor = '';
    do {
      const { body } = await service.get(`/v1/endorsements?limit=2${cursor}`);
      expect(body.data.length).toBeGreaterThan(0);
      seen.push(...body.data.map((n: Listed) => n.id));
      cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
      if (seen.length === 2) {
        await service.submit([
          withdraw('bakers-local-1', 'council', 'bob'),
          endorse('bakers-local-1', 'council', 'dee'),
        ]);
        await service.eventsOnceThereAre(8);
      }
    } while (cursor);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('reading the stream from stream_cursor after the last page gives an exact copy', async () => {
    const first = await service.get('/v1/endorsements?limit=3');
    await service.submit([
      withdraw('nation-herald', 'prop-1', 'no'),
      endorse('nation-herald', 'prop-1', 'yes'),
      endorse('coast-gazette', 'prop-1', 'yes', { statement: 'Changed while paging.' }),
    ]);
    await until('the changes are on the stream', async () => {
      const { data } = await service.events(`cursor=${first.body.stream_cursor}`);
      return data.length === 3;
    });

    const copy = new Map<number, string | null>();
    for (let page = first; ; ) {
      expect(page.body.stream_cursor).toBe(first.body.stream_cursor);
      for (const { id, statement } of page.body.data) copy.set(id, statement);
      if (!page.body.next_cursor) break;
      page = await service.get(`/v1/endorsements?limit=3&cursor=${page.body.next_cursor}`);
    }
    const { data } = await service.events(`cursor=${first.body.stream_cursor}`);
    for (const { type, endorsement } of data) {
      if (type === 'endorsement.deleted') copy.delete(endorsement.id);
      else copy.set(endorsement.id, endorsement.statement);
    }
    const { body } = await service.get('/v1/endorsements?limit=500');
    expect(copy).toEqual(new Map(body.data.map((n: Listed) => [n.id, n.statement])));
  });

  test.each([
    ['limit=0', 'limit must be a whole number from 1 to 500, is 0.'],
    ['limit=501', 'limit must be a whole number from 1 to 500, is 501.'],
    [
      'levels=galactic',
      'levels[0] must be one of federal, state, county, city, school, special, is "galactic".',
    ],
    ['cursor=nonsense', 'cursor is not a cursor of this list'],
    ['state=CA', 'Did you mean states?'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await service.get(`/v1/endorsements?${query}`);
    expect(status).toBe(400);
    expect(body.error).toEqual({
      code: 'invalid_parameter',
      message: expect.stringContaining(message),
      request_id: expect.any(String),
    });
  });

  test('INV-15: a page of more than 4 MB ends early, and the next one continues', async () => {
    const ids = (body: { data: Listed[] }) => body.data.map(({ id }) => id);
    const all = ids((await service.get('/v1/endorsements?limit=500')).body);
    // A record that is larger than a page is one.
    const sizes = [5, 1.5, 1.5, 1.5, 1.5, 0];
    for (const [index, size] of sizes.entries()) {
      await service.query(`UPDATE endorsements SET statement_es = repeat('x', $1) WHERE id = $2`, [
        size * 1024 * 1024,
        all[index],
      ]);
    }
    const pages: number[] = [];
    const found: number[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await service.get(`/v1/endorsements?limit=5&lang=es${cursor}`);
      pages.push(body.data.length);
      found.push(...ids(body));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    await service.query('UPDATE endorsements SET statement_es = NULL');
    expect(pages).toEqual([1, 3, 2]);
    expect(found).toEqual(all);
  });
});
