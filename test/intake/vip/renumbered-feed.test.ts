import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mapText } from '../../helpers/feeds/map-text.ts';
import {
  BALLOT,
  contest,
  ELECTION,
  type FeedObject,
  object,
  ocd,
  texts,
  writeFeed,
} from '../../helpers/feeds/vip-feed.ts';

const DISTRICTS = ['', '/county:rio', '/county:rio/council_district:1', '/place:rio'];
const NAMES = ['Mayor', 'MAYOR', 'Judge', 'Council, District 1', 'Alcalde José', 'Alcalde Jose'];
const PEOPLE = ['Ann Lee', 'ANN LEE', 'José Díaz', 'Bo'];
const PARTIES = ['Alder', 'Birch'];

const line = fc.record({ person: fc.nat(PEOPLE.length - 1), party: fc.nat(PARTIES.length - 1) });
const race = fc.record({
  name: fc.constantFrom(...NAMES),
  district: fc.nat(DISTRICTS.length - 1),
  subtitle: fc.constantFrom('', 'Seat 1', 'Seat 2'),
  sequence: fc.option(fc.nat(3), { nil: null }),
  lines: fc.uniqueArray(line, { maxLength: 4, selector: ({ person, party }) => `${person} ${party}` }),
});
type Race = typeof race extends fc.Arbitrary<infer T> ? T : never;

function objectsOf(races: Race[]): FeedObject[] {
  return [
    ...ELECTION,
    ...DISTRICTS.map((id, index) =>
      object(
        'ElectoralDistrict',
        `d${index}`,
        `${ocd(id)}<Name>D${index}</Name><Type>${id === '' ? 'state' : 'other'}</Type>`,
      ),
    ),
    ...PARTIES.map((name, index) => object('Party', `p${index}`, texts('Name', name))),
    ...races.flatMap(({ name, district, subtitle, sequence, lines }, index) => [
      object(
        'CandidateContest',
        `c${index}`,
        `<ElectoralDistrictId>{d${district}}</ElectoralDistrictId><Name>${name}</Name>` +
          `<BallotSelectionIds>${lines.map((_, at) => `{l${index}-${at}}`).join(' ')}</BallotSelectionIds>` +
          `${subtitle === '' ? '' : texts('BallotSubTitle', subtitle)}` +
          `${sequence === null ? '' : `<SequenceOrder>${sequence}</SequenceOrder>`}`,
      ),
      ...lines.flatMap(({ person, party }, at) => [
        object(
          'Candidate',
          `x${index}-${at}`,
          `${texts('BallotName', PEOPLE[person] ?? '')}<PartyId>{p${party}}</PartyId>`,
        ),
        object('CandidateSelection', `l${index}-${at}`, `<CandidateIds>{x${index}-${at}}</CandidateIds>`),
      ]),
    ]),
  ];
}

/** The records without their lines, and the refused contests by their problems. */
async function outcomeOf(feed: string) {
  const { records } = await mapText(feed);
  return {
    accepted: records.filter(({ problems }) => problems.length === 0).map(({ record }) => record),
    refused: records
      .filter(({ problems }) => problems.length > 0)
      .map(
        ({
          problems,
          record: { ballot_order: _, ...record },
        }: (typeof records)[number] & { record: { ballot_order?: unknown } }) =>
          JSON.stringify([problems, record]),
      )
      .sort(),
  };
}

/** The objects in another order with other ids. */
const disguise = <T extends readonly FeedObject[]>(objects: T) =>
  fc.record({
    order: fc.shuffledSubarray([...objects], { minLength: objects.length }),
    start: fc.integer({ min: 1, max: 999 }),
  });

test('a feed of other ids and another order gives the same records', async () => {
  const given = fc.array(race, { maxLength: 8 }).map(objectsOf);
  const cases = fc
    .oneof(fc.constant([...BALLOT]), given)
    .chain((objects) => disguise(objects).map((other) => ({ objects, other })));
  await fc.assert(
    fc.asyncProperty(cases, async ({ objects, other: { order, start } }) => {
      const numbers = new Map(order.map(({ name }, index) => [name, `n${start + index}`]));
      const renumbered = writeFeed(order, { idOf: (name) => numbers.get(name) ?? 'missing' });
      expect(await outcomeOf(renumbered)).toEqual(await outcomeOf(writeFeed(objects)));
    }),
  );
});

test('two contests of a feed, and two choices of a contest, never share a key', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(race, { maxLength: 8 }), async (races) => {
      const { accepted } = await outcomeOf(writeFeed(objectsOf(races)));
      const contests = accepted.flatMap((record) => ('choices' in record ? [record] : []));
      expect(new Set(contests.map(({ key }) => key)).size).toBe(contests.length);
      for (const { choices } of contests)
        expect(new Set(choices.map(({ key }) => key)).size).toBe(choices.length);
    }),
  );
});

test('a contest keeps its key when other contests come and go', async () => {
  const district = object('ElectoralDistrict', 'd', `${ocd('')}<Name>Virginia</Name><Type>state</Type>`);
  const keys = async (names: string[]) => {
    const contests = names.map((name) => contest('CandidateContest', name, 'd'));
    const { accepted } = await outcomeOf(writeFeed([...ELECTION, district, ...contests]));
    return accepted.map((record) => ('key' in record ? record.key : record.slug));
  };
  expect(await keys(['Mayor'])).toContain('va-2026-11-03-general/mayor');
  expect(await keys(['Sheriff', 'Mayor', 'Clerk'])).toContain('va-2026-11-03-general/mayor');
});
