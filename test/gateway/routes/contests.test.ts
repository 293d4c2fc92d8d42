import { beforeAll, describe, expect, test } from '@jest/globals';
import { describeListing, formatPageCursor } from '../../../schemas/page-cursor.ts';
import { loadCatalogue, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import {
  district,
  LATER_TEXANS,
  PRESIDENT,
  TEXAN_BALLOT,
  TEXANS,
  texan,
} from '../../helpers/ballots/texan-ballot.ts';
import { expectSameAtEveryPageSize } from '../../helpers/http/paging.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { useTestService } from '../../helpers/service/service.ts';

const OREGON = 'or-2026-11-03-general';
const TEXAS = 'tx-2026-11-02-special';
/** The listing without filters. */
const ALL = describeListing('contests', { lang: 'en' });

const service = useTestService({
  catalogue: [...SMALL_BALLOT, ...TEXAN_BALLOT],
  gatewayConfig: { today: '2026-11-04' },
});
beforeAll(async () => {
  await loadCatalogue(service.databaseUrl, LATER_TEXANS);
});

async function list(query: string): Promise<string[]> {
  const { status, body } = await service.get(`/v1/contests?${query}`);
  expect(status).toBe(200);
  expectSchema('/v1/contests', body);
  return body.data.map(({ short_title }: { short_title: string }) => short_title);
}

describe('GET /v1/contests', () => {
  test('shows a contest, its text byte for byte, with all fields', async () => {
    const { body } = await service.get('/v1/contests?levels=federal');
    expect(body).toEqual({ data: [PRESIDENT], next_cursor: null });
  });

  test('answers in Spanish if it is translated, otherwise in English, field by field', async () => {
    const { body } = await service.get('/v1/contests?levels=federal&lang=es');
    const [zoe, none] = PRESIDENT.choices;
    const choices = [{ ...zoe, label: 'Zoé', party_label: 'VRD' }, none];
    expect(body.data).toEqual([{ ...PRESIDENT, title: 'Presidente', choices }]);
  });

  const TEXAN = ['president', 'tax', 'trustee', 'alderman', 'water', 'judge'];
  const OREGONIAN = ['mayor', 'council', 'sheriff'];
  test.each([
    ['', [...TEXAN, 'prop-1', ...OREGONIAN]],
    ['states=TX', TEXAN],
    ['states=OR,CA', ['prop-1', ...OREGONIAN]],
    ['states=WY', []],
    [`elections=${OREGON}`, OREGONIAN],
    ['elections=never-held', []],
    ['levels=city,school', ['trustee', 'alderman', ...OREGONIAN]],
    ['levels=state,federal', ['president', 'tax', 'prop-1']],
    ['contest_kinds=measure', ['tax', 'prop-1']],
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
    [`elections=${TEXAS},${OREGON}&upcoming=true`, OREGONIAN],
    [`elections=${TEXAS}&states=OR`, []],
    [`elections=${TEXAS},${OREGON}`, [...TEXAN, ...OREGONIAN]],
  ])('with %s by election: federal, state, then local, in ballot order', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  test('gives the same list at every page size', () => expectSameAtEveryPageSize(service, '/v1/contests'));

  test('orders a contest by its current district', async () => {
    const moved = texan('water', 3, district('federal', 'Fern Basin'));
    const others = TEXANS.filter(({ slug }) => slug !== 'water');
    await loadCatalogue(
      service.databaseUrl,
      [...others, moved].map((record) => ['contests', record]),
    );
    expect(await list('states=TX')).toEqual(['water', 'president', 'tax', 'trustee', 'alderman', 'judge']);
    await loadCatalogue(service.databaseUrl, LATER_TEXANS);
    expect(await list('states=TX')).toEqual(TEXAN);
  });

  test('follows an election to another date', async () => {
    const [line] = TEXAN_BALLOT;
    const election = { ...line?.[1], date: '2026-11-04' };
    await loadCatalogue(service.databaseUrl, [['elections', election]]);
    expect(await list('')).toEqual(['prop-1', ...OREGONIAN, ...TEXAN]);
    expect(await list('upcoming=true')).toEqual(['prop-1', ...OREGONIAN, ...TEXAN]);
    await loadCatalogue(service.databaseUrl, TEXAN_BALLOT.slice(0, 1));
    expect(await list('')).toEqual([...TEXAN, 'prop-1', ...OREGONIAN]);
  });

  test.each([
    ['levels=galactic', 'levels[0] must be one of federal, state, county, city, school, special'],
    ['contest_kinds=race', 'contest_kinds[0] must be one of candidate, measure, retention'],
    ['states=national', 'states[0] must be one of AK'],
    ['district=x', 'Did you mean districts?'],
    ['limit=1e1', 'limit must be'],
    [`cursor=${formatPageCursor(ALL, [0, 1])}`, 'it has the wrong form'],
    [`cursor=${formatPageCursor(ALL, ['2026-02-29', 'a', 0, 1, 1])}`, 'it has the wrong form'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await service.get(`/v1/contests?${query}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toContain(message);
  });

  test('accepts a cursor with numbers of any size', async () => {
    expect(await list(`cursor=${formatPageCursor(ALL, ['2026-11-03', OREGON, 2, 9e15, 9e15])}`)).toEqual([]);
  });
});
