/** The peculiarities of real ballots, as the service answers them on the demo. */
import { beforeAll, expect, test } from '@jest/globals';
import { createDemo } from '../../ops/demo/generate.ts';
import { DEMO_SEED, loadDemo } from '../../ops/demo/load.ts';
import { STATE_CODES } from '../../schemas/vocabulary.ts';
import { readPages } from '../helpers/http/paging.ts';
import { useTestService } from '../helpers/service/service.ts';

const TODAY = '2026-09-15';
const SIZE = { contests: 700, endorsers: 150, endorsements: 4000 };
const demo = createDemo({ ...SIZE, seed: DEMO_SEED, today: TODAY });

interface Choice {
  id: number;
  label: string;
  measure_answer: string | null;
  candidate: { id: number; full_name: string } | null;
  party: string | null;
  withdrawn: boolean;
  option?: string;
  endorsed_by: { endorser: { slug: string } }[];
  endorsement_count: number;
  first_choice_count?: number;
}

interface Contest {
  title: string;
  description: string | null;
  kind: string;
  vote_method: string;
  ranks_allowed: number | null;
  measure_code: string | null;
  district: { id: number; level: string; state: string };
  election: { slug: string };
  details: Record<string, unknown>;
  choices: Choice[];
  recommendation: { choice_ids: number[]; endorser_count: number; agreement: string };
}

const service = useTestService({ catalogue: [], gatewayConfig: { today: TODAY } });
let contests: Contest[];

beforeAll(async () => {
  const { databaseUrl, brokers, topicPrefix } = service;
  await loadDemo({ databaseUrl, brokers, topicPrefix, today: TODAY, size: SIZE, report: () => {} });
  const picks = [...demo.submissions()].map((line) =>
    'picks' in line && line.picks ? line.picks.length : 1,
  );
  await service.eventsOnceThereAre(
    picks.reduce((sum, count) => sum + count, 0),
    60_000,
  );
  const { body } = await service.get(`/v1/recommendations?state=${STATE_CODES.join()}&only_endorsed=true`);
  contests = body.data.elections.flatMap((election: { contests: Contest[] }) => election.contests);
});

const backersOf = (choices: readonly Choice[]): Set<string> =>
  new Set(choices.flatMap(({ endorsed_by }) => endorsed_by.map(({ endorser }) => endorser.slug)));
/** The choices of each candidate who stands. */
const candidatesOf = ({ choices }: Contest): Choice[][] => [
  ...Map.groupBy(choices.filter(isStanding), ({ id, candidate }) => candidate?.id ?? `choice ${id}`).values(),
];
const isStanding = ({ withdrawn }: Choice) => !withdrawn;
const keyed = (contest: Contest) => new Map(contest.choices.map((choice) => [choice.id, choice]));
const chosen = (contest: Contest) => contest.recommendation.choice_ids.map((id) => keyed(contest).get(id));

/** The candidate with more backers than every other is recommended, on the line with most of them. */
function expectLeader(contest: Contest): void {
  const [first = [], second = []] = candidatesOf(contest).sort(
    (a, b) => backersOf(b).size - backersOf(a).size,
  );
  const isTied = backersOf(first).size === backersOf(second).size;
  const most = Math.max(...first.map(({ endorsement_count }) => endorsement_count));
  const best = first.find(({ endorsement_count }) => endorsement_count === most);
  expect(chosen(contest)).toEqual(isTied ? [] : [best]);
  expect(contest.recommendation.endorser_count).toBe(backersOf(contest.choices).size);
}

test.each(['CT', 'NY'])('%s has fusion lines, and each endorser of a candidate counts once', (state) => {
  const ofState = contests.filter(({ district }) => district.state === state);
  const fused = ofState.filter((contest) => candidatesOf(contest).some((lines) => lines.length > 1));
  for (const contest of fused) expectLeader(contest);
  const candidates = fused.flatMap(candidatesOf);
  expect(candidates.some((lines) => lines.length > 2)).toBe(true);
  const isOnSeveralLines = (lines: Choice[]) =>
    backersOf(lines).size < lines.reduce((sum, { endorsement_count }) => sum + endorsement_count, 0);
  expect(candidates.some(isOnSeveralLines)).toBe(true);
});

test('namesakes are two candidates, and each has their own endorsements', () => {
  const named = contests.flatMap((contest) => {
    const byName = Map.groupBy(candidatesOf(contest), ([line]) => line?.candidate?.full_name ?? line?.id);
    return [...byName.values()].flatMap((people) => (people.length > 1 ? [{ contest, people }] : []));
  });
  for (const { contest } of named) expectLeader(contest);
  const areBothBacked = ({ people }: (typeof named)[number]) =>
    people.every((lines) => backersOf(lines).size > 0);
  expect(named.some(areBothBacked)).toBe(true);
});

test('a ranked contest has candidates that no endorser ranks, and none of them is recommended', () => {
  const ranked = contests.filter(({ vote_method }) => vote_method === 'ranked_choice');
  for (const contest of ranked) {
    const unranked = contest.choices.filter((choice) => choice.endorsement_count === 0);
    expect(unranked.filter(isStanding).length).toBeGreaterThan(0);
    for (const choice of unranked) {
      expect(choice.first_choice_count).toBe(0);
      expect(chosen(contest)).not.toContain(choice);
    }
  }
});

test('a tie for the first place of a ranked contest is a split, and a later one ends the ranking', () => {
  const ranked = contests.filter(({ vote_method }) => vote_method === 'ranked_choice');
  const split = ranked.filter(({ recommendation }) => recommendation.agreement === 'split');
  expect(split).not.toEqual([]);
  for (const contest of split) {
    expect(contest.recommendation.choice_ids).toEqual([]);
    const [most, next] = contest.choices
      .map((choice) => choice.first_choice_count ?? 0)
      .sort((a, b) => b - a);
    expect(next).toBe(most);
  }
  const ended = ranked.filter(({ ranks_allowed, choices, recommendation }) => {
    const backed = choices.filter((choice) => choice.endorsement_count > 0).length;
    const places = recommendation.choice_ids.length;
    return places > 0 && places < Math.min(ranks_allowed ?? backed, backed);
  });
  expect(ended).not.toEqual([]);
});

test('a withdrawn nominee stays on the ballot without endorsements, and the party has another', () => {
  const withdrawn = contests.flatMap((contest) =>
    contest.choices.filter((choice) => choice.withdrawn).map((choice) => ({ contest, choice })),
  );
  for (const { contest, choice } of withdrawn) {
    expect([choice.endorsed_by, choice.endorsement_count]).toEqual([[], 0]);
    expect(contest.recommendation.choice_ids).not.toContain(choice.id);
  }
  const general = withdrawn.filter(
    ({ contest, choice }) => choice.party !== null && !contest.election.slug.endsWith('primary'),
  );
  expect(general).not.toEqual([]);
  for (const { contest, choice } of general) {
    expect(contest.choices.filter(isStanding).map(({ party }) => party)).toContain(choice.party);
  }
});

test('two counties have a measure of one letter in one election', async () => {
  const measures = await readPages(service, '/v1/contests', 500, '&contest_kinds=measure&levels=county');
  const lettered = [
    ...Map.groupBy(measures, ({ election, measure_code }) => `${election.slug} ${measure_code}`).values(),
  ];
  const shared = lettered.filter((group) => group.length > 1);
  expect(shared).not.toEqual([]);
  for (const group of shared) {
    expect(new Set(group.map(({ title }) => title)).size).toBe(group.length);
    expect(new Set(group.map(({ district }) => district.id)).size).toBe(group.length);
  }
});

test('a judge is retained or not, by the answer of most endorsers', () => {
  const retentions = contests.filter(({ kind }) => kind === 'retention');
  expect(retentions.length).toBeGreaterThan(1);
  for (const contest of retentions) {
    const count = (answer: string) =>
      contest.choices.find(({ measure_answer }) => measure_answer === answer)?.endorsement_count ?? 0;
    const [yes, no] = [count('yes'), count('no')];
    expect(chosen(contest).map((choice) => choice?.measure_answer)).toEqual(
      yes === no ? [] : [yes > no ? 'yes' : 'no'],
    );
    expect(contest.title).toMatch(/^Retention of Supreme Court Justice, Seat \d+: \S+ /);
    expect(contest.description).toContain(contest.title.split(': ')[1]);
  }
});

test('voters of Nevada may choose none of these in statewide contests', async () => {
  const { body } = await service.get('/v1/contests?states=NV,CA&contest_kinds=candidate&limit=500');
  const withOption = body.data.filter(({ choices }: Contest) => choices.some(({ option }) => option));
  expect(withOption).not.toEqual([]);
  for (const { district, choices, details } of withOption as Contest[]) {
    expect([district.state, details.none_of_these]).toEqual(['NV', true]);
    expect(choices.filter(({ option }) => option)).toEqual([
      expect.objectContaining({ option: 'none_of_these', candidate: null, withdrawn: false }),
    ]);
  }
});

test('invented people hold the offices, in the districts of the contests', async () => {
  const people = await readPages(service, '/v1/officeholders', 500);
  expect(new Set(people.map(({ state }) => state))).toEqual(new Set(STATE_CODES));
  const house = people.find(({ offices }) => offices[0].district_ocd_id.endsWith('state:ny/cd:1'));
  expect(house).toMatchObject({
    office: 'us_representative',
    term: { start: '2025-01-03', end: '2027-01-03' },
  });
  const { body } = await service.get(`/v1/contests?states=NY&districts=${house.district_ocd_id}&limit=1`);
  expect(body.data[0].district.id).toBe(house.district_id);
  const one = await service.get(`/v1/officeholders/${house.person_id}`);
  expect(one.body.data).toMatchObject({ name: house.name, seats: [{ district_id: house.district_id }] });
});
