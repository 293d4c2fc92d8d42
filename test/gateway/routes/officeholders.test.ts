import { beforeAll, describe, expect, test } from '@jest/globals';
import { describeListing, formatPageCursor } from '../../../schemas/page-cursor.ts';
import { type CatalogueLine, loadCatalogue, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { contest } from '../../helpers/ballots/catalogue-records.ts';
import { expectSameAtEveryPageSize, readPages } from '../../helpers/http/paging.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { importPeople } from '../../helpers/officeholders/import-people.ts';
import { person, personId, role } from '../../helpers/officeholders/people-checkout.ts';
import { useTestService } from '../../helpers/service/service.ts';

const LIST = '/v1/officeholders';
const OREGON = 'state:or';

const HOUSE_OF_OREGON_7 = {
  ocd_id: 'ocd-division/country:us/state:or/sldl:7',
  name: 'House District 7',
  level: 'state',
  type: 'state_lower',
  state: 'OR',
};

/** A county's part of the district, which elects a committee: another district of the same division. */
const COMMITTEE = { ...HOUSE_OF_OREGON_7, name: 'Committee', level: 'county', type: 'party_committee' };

/** A district of another level with the same division as the governor's. */
const WATER = { ...COMMITTEE, ocd_id: 'ocd-division/country:us/state:or', name: 'Water', level: 'special' };

const CONTACT = [
  'given_name: Ann',
  'family_name: Álvarez',
  'email: ann@leg.example',
  'image: https://leg.example/ann.jpg',
  'party:\n- name: Democratic',
  'ids:\n  twitter: ann',
  'links:\n- url: https://ann.example',
  'sources:\n- url: https://leg.example\n- url: https://leg.example',
  'offices:\n- classification: capitol\n  voice: 503-555-0100',
];
const PEOPLE = {
  'or/legislature/ann.yml': person(
    1,
    'Ann Álvarez',
    [role('lower', OREGON, { district: 7, start_date: '2025-01-13', end_date: '2027-01-11' })],
    CONTACT,
  ),
  'or/executive/bob.yml': person(2, 'Bob 100%', [role('governor', OREGON), role('treasurer', OREGON)]),
  'us/legislature/cyd.yml': person(3, 'Cyd', [role('upper', '', { district: 'Oregon' })]),
  'us/legislature/dee.yml': person(4, 'Dee', [role('lower', '', { district: 'CA-12' })]),
  'dc/legislature/cyd.yml': person(5, 'Cyd', [role('legislature', 'district:dc', { district: 'Ward 4' })]),
};

const load = (files: Record<string, string>) =>
  importPeople(service.databaseUrl, files, new Date('2026-11-03T12:00:00Z'));

const service = useTestService({
  catalogue: [
    ...SMALL_BALLOT,
    ['contests', contest('committee', { district: COMMITTEE })],
    ['contests', contest('water', { district: WATER })],
    ['contests', contest('house-7', { district: HOUSE_OF_OREGON_7 })],
  ],
});

/** The names of a list, each with the office that is shown. */
async function list(query = ''): Promise<string[]> {
  const { status, body } = await service.get(`${LIST}?${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  expectSchema(LIST, body);
  return body.data.map(({ name, office }: Record<string, string>) => `${name}: ${office}`);
}

async function refusal(path: string): Promise<[number, string, string]> {
  const { status, body } = await service.get(path);
  return [status, body.error?.code, body.error?.message];
}

describe('before the first load', () => {
  test.each([LIST, `${LIST}?states=OR`, `${LIST}/${personId(1)}`])(
    '%s is not available yet',
    async (path) => {
      const { status, headers, body } = await service.get(path);
      expect([status, headers.get('Retry-After')]).toEqual([503, '300']);
      expect(body.error).toEqual({
        code: 'not_available',
        message: expect.stringContaining('never been loaded'),
        request_id: expect.any(String),
      });
    },
  );

  test('invalid parameters are still refused as such', async () => {
    expect((await refusal(`${LIST}/7`)).slice(0, 2)).toEqual([400, 'invalid_parameter']);
  });
});

describe('after a load', () => {
  beforeAll(() => load(PEOPLE));

  const seat = {
    office: 'state_representative',
    office_title: 'Representative',
    level: 'state',
    state: 'OR',
    district: '7',
    district_ocd_id: HOUSE_OF_OREGON_7.ocd_id,
    district_id: expect.any(Number),
    term: { start: '2025-01-13', end: '2027-01-11' },
  };
  const ann = {
    person_id: personId(1),
    name: 'Ann Álvarez',
    given_name: 'Ann',
    family_name: 'Álvarez',
    ...seat,
    term_start: '2025-01-13',
    term_end: '2027-01-11',
    party: 'Democratic',
    party_abbreviation: 'D',
    phone: '503-555-0100',
    email: 'ann@leg.example',
    website: 'https://ann.example',
    website_url: 'https://ann.example',
    photo: 'https://leg.example/ann.jpg',
    image_url: 'https://leg.example/ann.jpg',
    offices: [seat],
    addresses: [{ classification: 'capitol', address: null, voice: '503-555-0100', fax: null }],
    social: { twitter: 'ann', facebook: null, instagram: null, youtube: null },
    source_urls: ['https://leg.example'],
    updated_at: '2026-11-03T12:00:00.000Z',
  };

  test('a record has every field', async () => {
    const { body } = await service.get(`${LIST}?q=ann`);
    expect(body).toEqual({ data: [ann], next_cursor: null });
  });

  test("its district_id is that of the contests' district with the same division and level", async () => {
    const { body } = await service.get('/v1/contests?elections=or-2026-11-03-general');
    const districts = body.data.map((found: { district: { name: string; id: number } }) => found.district);
    const idOf = (name: string) => districts.find((district: { name: string }) => district.name === name)?.id;
    const one = await service.get(`${LIST}/${personId(1)}`);
    expect(one.body.data.district_id).toBe(idOf('House District 7'));
    expect(one.body.data.seats[0].district_id).toBe(idOf('House District 7'));
    expect((await service.get(`${LIST}/${personId(2)}`)).body.data.district_id).toBeNull();
  });

  test.each<[string, string[]]>([
    [
      '',
      [
        'Ann Álvarez: state_representative',
        'Bob 100%: governor',
        'Cyd: us_senator',
        'Cyd: city_council',
        'Dee: us_representative',
      ],
    ],
    ['states=CA,DC', ['Cyd: city_council', 'Dee: us_representative']],
    ['offices=treasurer,us_senator', ['Bob 100%: treasurer', 'Cyd: us_senator']],
    ['offices=governor,treasurer', ['Bob 100%: governor']],
    ['levels=federal', ['Cyd: us_senator', 'Dee: us_representative']],
    ['levels=city', ['Cyd: city_council']],
    ['levels=federal&states=OR', ['Cyd: us_senator']],
    ['levels=city&states=OR', []],
    ['districts=ocd-division/country:us/state:or', ['Bob 100%: governor', 'Cyd: us_senator']],
    ['districts=ocd-division/country:us/state:or&offices=treasurer', ['Bob 100%: treasurer']],
    [
      'districts=ocd-division/country:us/state:or/sldl:7,ocd-division/country:us/district:dc/ward:4',
      ['Ann Álvarez: state_representative', 'Cyd: city_council'],
    ],
    ['districts=nowhere', []],
    ['q=ALVAREZ', ['Ann Álvarez: state_representative']],
    ['q=%25', ['Bob 100%: governor']],
    ['q=_', []],
    ['q=cyd&states=DC', ['Cyd: city_council']],
    ['q=cyd&lang=es', ['Cyd: us_senator', 'Cyd: city_council']],
  ])('filters: %s', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  test('gives the same list at every page size, even with two people of the same name', async () => {
    await expectSameAtEveryPageSize(service, LIST);
    expect(await readPages(service, LIST, 1, '&states=OR')).toHaveLength(3);
  });

  test('one officeholder is shown with every seat held', async () => {
    const { status, body } = await service.get(`${LIST}/${personId(2).toUpperCase()}`);
    expect(status).toBe(200);
    expectSchema(`${LIST}/{id}`, body);
    expect(body.data).toMatchObject({ name: 'Bob 100%', office: 'governor', district: 'Oregon' });
    expect(
      body.data.seats.map(({ office, office_title }: Record<string, string>) => [office, office_title]),
    ).toEqual([
      ['governor', 'Governor'],
      ['treasurer', 'State Treasurer'],
    ]);
  });

  test('a list also has every seat held, for any requested seat', async () => {
    const { body } = await service.get(`${LIST}?offices=treasurer`);
    const alone = await service.get(`${LIST}/${personId(2)}`);
    const [{ office, offices }] = body.data;
    expect([office, offices.map((held: { office: string }) => held.office)]).toEqual([
      'treasurer',
      ['governor', 'treasurer'],
    ]);
    expect(alone.body.data.offices).toEqual(offices);
    expect(alone.body.data.seats).toEqual(
      offices.map((held: { term: { start: string | null; end: string | null } }) => ({
        ...held,
        term_start: held.term.start,
        term_end: held.term.end,
      })),
    );
  });

  test('an unknown officeholder is 404, and an invalid id is 400', async () => {
    expect((await refusal(`${LIST}/${personId(77)}`)).slice(0, 2)).toEqual([404, 'not_found']);
    const [status, code, message] = await refusal(`${LIST}/bob`);
    expect([status, code]).toEqual([400, 'invalid_parameter']);
    expect(message).toContain('id must be a person_id, which is a UUID such as');
  });

  test.each([
    ['states=Oregon', 'states'],
    ['offices=mayor', 'offices'],
    ['levels=county', 'levels'],
    ['q=', 'q'],
    ['lang=fr', 'lang'],
    ['limit=501', 'limit'],
    ['office=governor', 'offices'],
    [
      `cursor=${formatPageCursor(describeListing('officeholders', { lang: 'en' }), ['Ann', 'no id'])}`,
      'cursor',
    ],
    [
      `cursor=${formatPageCursor(describeListing('endorsers', { lang: 'en' }), ['Ann', personId(1)])}`,
      'cursor',
    ],
  ])('refuses %s', async (query, named) => {
    const [status, code, message] = await refusal(`${LIST}?${query}`);
    expect([status, code]).toEqual([400, 'invalid_parameter']);
    expect(message).toContain(named);
  });

  test('after an empty load, the list is empty, not unavailable', async () => {
    const mayor = (n: number, place: string) => person(n, 'Eve', [role('mayor', `${place}/place:fernville`)]);
    await load({
      'or/municipalities/eve.yml': mayor(6, OREGON),
      'us/legislature/eve.yml': mayor(7, OREGON),
      'dc/legislature/eve.yml': mayor(8, OREGON),
    });
    expect(await list()).toEqual([]);
    expect((await refusal(`${LIST}/${personId(1)}`))[0]).toBe(404);
  });
});

describe("the district_id of a seat is that of the contests' district of the same kind:", () => {
  const OREGON_ID = 'ocd-division/country:us/state:or';
  const CALIFORNIA_ID = 'ocd-division/country:us/state:ca';
  const DC_ID = 'ocd-division/country:us/district:dc';
  const contestOf = (
    slug: string,
    name: string,
    ocd_id: string,
    level: string,
    type: string,
  ): CatalogueLine => ['contests', contest(slug, { district: { ocd_id, name, level, type, state: 'OR' } })];

  beforeAll(async () => {
    // The small ballot has a statewide district of California at the state's level, and none of Oregon.
    await loadCatalogue(service.databaseUrl, [
      contestOf('a', 'Oregon House seat', OREGON_ID, 'federal', 'congressional_district'),
      contestOf('b', 'Oregon Senate at large', OREGON_ID, 'state', 'state_upper'),
      contestOf('c', 'California House seat', CALIFORNIA_ID, 'federal', 'congressional_district'),
      contestOf('d', 'California for senators', CALIFORNIA_ID, 'federal', 'statewide'),
      contestOf('e', 'California Senate at large', CALIFORNIA_ID, 'state', 'state_upper'),
      contestOf('f', 'D.C. as a city', DC_ID, 'city', 'place'),
      contestOf('g', 'D.C. for councilmembers', DC_ID, 'city', 'council_district'),
      contestOf('h', 'D.C. for senators', DC_ID, 'federal', 'statewide'),
      contestOf('i', 'D.C. House seat', `${DC_ID}/cd:at-large`, 'federal', 'congressional_district'),
      contestOf('j', 'Committee of 9', `${OREGON_ID}/sldl:9`, 'state', 'party_committee'),
      contestOf('k', 'House of 8', `${OREGON_ID}/sldl:8`, 'state', 'state_lower'),
      contestOf('l', 'Legislature of 1', 'ocd-division/country:us/state:ne/sldu:1', 'state', 'state_upper'),
    ]);
    const at = (district: string) => ({ district });
    await load({
      'us/legislature/a.yml': person(11, 'Senator OR', [role('upper', '', at('Oregon'))]),
      'us/legislature/b.yml': person(12, 'Senator CA', [role('upper', '', at('California'))]),
      'us/legislature/c.yml': person(13, 'Delegate DC', [role('lower', '', at('DC-AL'))]),
      'or/executive/d.yml': person(14, 'Governor OR', [role('governor', OREGON)]),
      'ca/executive/e.yml': person(15, 'Governor CA', [role('governor', 'state:ca')]),
      'or/legislature/f.yml': person(16, 'At-large OR', [role('upper', OREGON, at('At-Large'))]),
      'or/legislature/g.yml': person(17, 'House 9 OR', [role('lower', OREGON, at('9'))]),
      'or/legislature/h.yml': person(18, 'House 8 OR', [role('lower', OREGON, at('8'))]),
      'dc/legislature/i.yml': person(19, 'Council DC', [role('legislature', 'district:dc', at('At-Large'))]),
      'ne/legislature/j.yml': person(20, 'Legislator NE', [role('legislature', 'state:ne', at('1'))]),
    });
  });

  test.each([
    ['Senator OR', null],
    ['Senator CA', 'California for senators'],
    ['Delegate DC', 'D.C. House seat'],
    ['Governor OR', null],
    ['Governor CA', 'California'],
    ['At-large OR', 'Oregon Senate at large'],
    ['House 9 OR', null],
    ['House 8 OR', 'House of 8'],
    ['Council DC', 'D.C. for councilmembers'],
    ['Legislator NE', 'Legislature of 1'],
  ])('%s has %s', async (name, district) => {
    const { body } = await service.get(`${LIST}?q=${name}`);
    const [{ district_id, offices }] = body.data;
    const contests = await service.get('/v1/contests?limit=500');
    const found = contests.body.data.find(
      (each: { district: { id: number } }) => each.district.id === district_id,
    );
    expect(found?.district.name ?? null).toBe(district);
    expect(offices[0].district_id).toBe(district_id);
  });
});
