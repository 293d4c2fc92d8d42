import { describe, expect, test } from '@jest/globals';
import { contestOf, withDistrict } from '../../helpers/feeds/feed-contest.ts';
import { contest, type FeedObject, object, ocd, texts } from '../../helpers/feeds/vip-feed.ts';

const COMMONWEALTH = object('ElectoralDistrict', 'va', '<Name>Commonwealth</Name><Type>state</Type>');

describe('a district without an OCD id', () => {
  const LOCALITY = object('Locality', 'albemarle', '<Name>Albemarle County</Name><StateId>{state}</StateId>');
  const ORANGE = object('Locality', 'orange', '<Name>Orange County</Name><StateId>{state}</StateId>');
  const boardOf = (name: string, type: string, ...more: FeedObject[]) =>
    withDistrict(object('ElectoralDistrict', 'x', `<Name>${name}</Name><Type>${type}</Type>`), 'Board', more);

  test.each([
    ['District 1', 'school'],
    ['Trustee Area IV', 'school'],
    ['3rd Ward', 'city-council'],
    ['Zone B', 'water'],
    ['At-Large', 'other'],
    ['Jefferson', 'county-council'],
    ['Washington Township', 'township'],
  ])('has the locality of the feed in its name if other counties may use it: %s (%s)', async (name, type) => {
    const { record, notes } = await boardOf(name, type, LOCALITY);
    expect(record?.district.name).toBe(`${name}, Albemarle County`);
    expect(record?.key).toMatch(/-albemarle-county$/);
    expect(notes).toContainEqual(
      expect.objectContaining({ kind: 'assumed', examples: [`${name}, Albemarle County`] }),
    );
    expect(notes.filter(({ kind }) => kind === 'to check')).toEqual([]);
  });

  test('keeps a name that has the locality already', async () => {
    const { record } = await boardOf('District 1, ALBEMARLE county', 'county-council', LOCALITY);
    expect(record?.district.name).toBe('District 1, ALBEMARLE county');
  });

  test.each([
    ['a name of its own', 'Rivanna Water', 'water', [LOCALITY]],
    ['no locality in the feed', 'Area 1', 'school', []],
    ['several localities in the feed', 'Area 1', 'school', [LOCALITY, ORANGE]],
    ['a locality without a name', 'Area 1', 'school', [object('Locality', 'nameless', '')]],
    ['courts of the state', 'District 3', 'judicial', [LOCALITY]],
  ])('is to be checked if it has %s', async (_, name, type, localities) => {
    const { record, notes } = await boardOf(name, type, ...localities);
    expect(record?.district.name).toBe(name);
    expect(notes.filter(({ kind }) => kind === 'to check')).toMatchObject([
      { message: expect.stringContaining('known by its name'), examples: [name] },
    ]);
  });

  test.each(['state-house', 'state-senate', 'congressional'])('is unique in its state: %s', async (type) => {
    const { record, notes } = await boardOf('District 1', type, LOCALITY);
    expect(record?.district.name).toBe('District 1');
    expect(notes.filter(({ kind }) => kind === 'to check')).toEqual([]);
  });

  test('is unlike one with an OCD id, which keeps its name', async () => {
    const id = ocd('/county:albemarle/council_district:1');
    const fields = `${id}<Name>District 1</Name><Type>county-council</Type>`;
    const { record } = await withDistrict(object('ElectoralDistrict', 'x', fields), 'Board', [LOCALITY]);
    expect(record?.district.name).toBe('District 1');
  });

  test('of two counties makes two contests', async () => {
    const [here, there] = await Promise.all([
      boardOf('District 1', 'school', LOCALITY),
      boardOf('District 1', 'school', ORANGE),
    ]);
    expect(here.record?.key).not.toBe(there.record?.key);
  });
});

describe('the level of a district', () => {
  test.each([
    ['borough', '', 'county'],
    ['city-council', '', 'city'],
    ['congressional', ocd('/cd:7'), 'federal'],
    ['judicial', '', 'state'],
    ['judicial', ocd('/county:albemarle'), 'county'],
    ['national', '', 'federal'],
    ['other', ocd('/place:vienna/council_district:2'), 'city'],
    ['other', ocd('/place:vienna/council_district:2').replace('ocd-id', 'other'), 'city'],
    ['other', '', 'special'],
    ['school', '', 'school'],
    ['water', '', 'special'],
  ])('of the type %s (%s) is %s', async (type, identifiers, level) => {
    const { record } = await withDistrict(
      object('ElectoralDistrict', 'x', `${identifiers}<Name>X</Name><Type>${type}</Type>`),
    );
    expect(record?.district.level).toBe(level);
  });

  test.each([
    ['Governor', 'state'],
    ['President and Vice President', 'federal'],
    ['U.S. Senator', 'federal'],
    ['United States Senate', 'federal'],
    ['State Senator', 'state'],
    ['Member of Congress', 'federal'],
  ])('of the whole state is told by the office %s: %s', async (name, level) => {
    const { record } = await withDistrict(COMMONWEALTH, name);
    expect(record?.district.level).toBe(level);
    const office = object('Office', 'office', texts('Name', name));
    const numbered = contest('CandidateContest', 'Seat 1', 'va', '<OfficeIds>{office}</OfficeIds>');
    expect((await contestOf(office, COMMONWEALTH, numbered)).record?.district.level).toBe(level);
  });

  test.each([
    ['national', '', 'nation', null],
    ['other', ocd('/place:vienna/council_district:2'), 'council_district', 'VA'],
    ['other', '<OtherType>fire</OtherType>', 'fire', 'VA'],
    ['state', '', 'statewide', 'VA'],
  ])('of the type %s (%s) has the type %s and the state %s', async (given, more, type, state) => {
    const { record } = await withDistrict(
      object('ElectoralDistrict', 'x', `${more}<Name>X</Name><Type>${given}</Type>`),
    );
    expect(record?.district).toMatchObject({ type, state });
  });

  test('of the whole state has the OCD id of its state, which the feed may lack', async () => {
    const { record } = await withDistrict(COMMONWEALTH);
    expect(record?.district).toMatchObject({ ocd_id: 'ocd-division/country:us/state:va' });
  });
});
