import { beforeAll, describe, expect, test } from '@jest/globals';
import { describeListing, formatPageCursor } from '../../../schemas/page-cursor.ts';
import { lines, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { election } from '../../helpers/ballots/catalogue-records.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { expectSameAtEveryPageSize } from '../../helpers/http/paging.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { useTestService } from '../../helpers/service/service.ts';

const NOTHING = { details: {} };

const service = useTestService({
  catalogue: [
    ...SMALL_BALLOT,
    ...lines('elections', [
      election({
        slug: 'tx-2026-05-26-runoff',
        name: 'Texas “runoff” \\ 100 % 日本',
        name_es: 'Segunda vuelta de Tejas',
        short_name: 'Runoff',
        state: 'TX',
        date: '2026-05-26',
        type: 'runoff',
        primary_system: 'open',
        info_url: 'https://tx.example/',
        details: {
          runoff_date: '2026-05-26',
          ranked_choice: null,
          all_mail: false,
          canvass: 'county',
          audit: null,
        },
      }),
      election({ slug: 'pr-2028-06-04-primary', state: 'PR', date: '2028-06-04', type: 'primary' }),
      election({ slug: 'dc-2028-06-04-primary', state: 'DC', date: '2028-06-04', type: 'primary' }),
      election({
        slug: 'az-2026-11-02-special',
        state: 'AZ',
        date: '2026-11-02',
        type: 'special',
        ...NOTHING,
      }),
      election({ slug: 'wy-2026-11-02-special', state: 'WY', date: '2026-11-02', type: 'special' }),
    ]),
  ],
  gatewayConfig: { today: '2026-11-04' },
});
beforeAll(async () => {
  await service.query(`UPDATE elections SET removed_at = now() WHERE state = 'WY'`);
  await service.submit([
    endorse('bakers-local-1', 'council', 'ann'),
    endorse('bakers-local-1', 'council', 'bob'),
    endorse('coast-gazette', 'prop-1', 'yes'),
  ]);
  await service.eventsOnceThereAre(3);
});

async function list(query: string): Promise<string[]> {
  const { status, body } = await service.get(`/v1/elections?${query}`);
  expect(status).toBe(200);
  expectSchema('/v1/elections', body);
  return body.data.map(({ slug }: { slug: string }) => slug.replace(/-2.*/, ''));
}

describe('GET /v1/elections', () => {
  test('shows an election, its text byte for byte, with all fields', async () => {
    const { body } = await service.get('/v1/elections?states=TX');
    expect(body).toEqual({
      data: [
        {
          id: expect.any(Number),
          slug: 'tx-2026-05-26-runoff',
          name: 'Texas “runoff” \\ 100 % 日本',
          short_name: 'Runoff',
          date: '2026-05-26',
          state: 'TX',
          type: 'runoff',
          primary_system: 'open',
          info_url: 'https://tx.example/',
          details: {
            all_mail: false,
            runoff_date: '2026-05-26',
            canvass: 'county',
          },
          contest_count: 0,
          endorsement_count: 0,
        },
      ],
      next_cursor: null,
    });
  });

  test('counts contests and endorsements', async () => {
    const { body } = await service.get('/v1/elections?states=CA,OR');
    const counts = body.data.map((e: Record<string, number>) => [
      e.state,
      e.contest_count,
      e.endorsement_count,
    ]);
    expect(counts).toEqual([
      ['CA', 1, 1],
      ['OR', 3, 2],
    ]);
  });

  test('answers in Spanish if it is translated, otherwise in English, field by field', async () => {
    const { body } = await service.get('/v1/elections?states=TX,OR&lang=es');
    expect(body.data.map((e: Record<string, string>) => [e.name, e.short_name])).toEqual([
      ['Segunda vuelta de Tejas', 'Runoff'],
      ['Oregon general 2026', null],
    ]);
  });

  test.each([
    ['', ['tx', 'az', 'ca', 'or', 'dc', 'pr']],
    ['states=OR,PR', ['or', 'pr']],
    ['states=WY', []],
    ['types=runoff,special', ['tx', 'az']],
    ['types=consolidated', []],
    ['upcoming=true', ['ca', 'or', 'dc', 'pr']],
    ['upcoming=false', ['tx', 'az', 'ca', 'or', 'dc', 'pr']],
    ['from=2026-11-03', ['ca', 'or', 'dc', 'pr']],
    ['to=2026-11-02', ['tx', 'az']],
    ['from=2026-11-02&to=2026-11-03', ['az', 'ca', 'or']],
    ['from=2026-11-03&to=2026-11-02', []],
    ['from=2026-01-01&upcoming=true&to=2027-01-01&states=CA,TX', ['ca']],
  ])('with %s, by date and slug', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  test('gives the same list at every page size', () => expectSameAtEveryPageSize(service, '/v1/elections'));

  test.each([
    ['states=ZZ', 'states[0] must be one of AK, AL'],
    ['states=or', 'is "or"'],
    ['types=local', 'types[0] must be one of general, primary'],
    ['upcoming=1', 'upcoming must be true or false, is "1".'],
    ['from=2026-02-29', 'from must be a date such as 2026-11-03, is "2026-02-29".'],
    ['from=0000-01-01', 'from must be a date such as 2026-11-03, is "0000-01-01".'],
    ['to=11/03/2026', 'to must be a date'],
    ['to=', 'to must be a date'],
    ['lang=fr', 'lang must be en or es, is "fr".'],
    ['limit=501', 'limit must be'],
    ['state=OR', 'Did you mean states?'],
    ['states=OR&states=CA', 'states is given twice'],
    [
      `cursor=${formatPageCursor(describeListing('elections', { lang: 'en' }), ['2026-02-29', 'a'])}`,
      'it has the wrong form',
    ],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await service.get(`/v1/elections?${query}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toContain(message);
  });
});
