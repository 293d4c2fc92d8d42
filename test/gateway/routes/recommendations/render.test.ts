import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { orderBySupport, recommend } from '../../../../domain/recommendation.ts';
import { BodyWriter } from '../../../../gateway/ballots/body-writer.ts';
import { packBallots } from '../../../../gateway/ballots/election-ballot.ts';
import { writeElections } from '../../../../gateway/routes/recommendations/render.ts';
import { selectBallots } from '../../../../gateway/routes/recommendations/selection.ts';
import { VOTE_METHODS } from '../../../../schemas/vocabulary.ts';
import {
  choiceRecord,
  contestRecord,
  ELECTION_DATE,
  electionRecord,
  endorserFacts,
  endorserRecord,
  pickRecord,
  rulesOf,
  storedBallots,
  type TestContest,
} from '../../../helpers/ballots/stored-ballots.ts';

const DAY_AFTER = '2026-11-04';

/** The client of an answer does not leave. */
const OPEN = new AbortController().signal;

interface Selection {
  contests?: Parameters<typeof selectBallots>[0][number];
  endorsers?: Parameters<typeof selectBallots>[1];
  onlyEndorsed?: boolean;
}

/** The elections of an answer, and its ETag. */
async function render(
  contests: readonly TestContest[],
  { contests: chosen = {}, endorsers = {}, onlyEndorsed = false }: Selection = {},
) {
  const writer = new BodyWriter();
  writer.text('[');
  const ballots = await packBallots(storedBallots(contests));
  // The recommendation by all endorsers is remembered.
  const whole = { ...selectBallots([{}, {}], {}), onlyEndorsed: false };
  await writeElections(new BodyWriter(), ballots, whole, OPEN);
  const selection = { ...selectBallots([chosen, {}], endorsers), onlyEndorsed };
  await writeElections(writer, ballots, selection, OPEN);
  writer.text(']');
  const { pieces, length, etag } = writer.finish();
  const text = Buffer.concat(pieces).toString();
  expect(Buffer.byteLength(text)).toBe(length);
  return { elections: JSON.parse(text), text, etag, pieces };
}

/** The same elections, from objects. */
function expected(
  contests: readonly TestContest[],
  { contests: chosen = {}, endorsers = {}, onlyEndorsed = false }: Selection,
) {
  const allows = (values: readonly string[] | undefined, value: string) => values?.includes(value) ?? true;
  const counts = (id: number) => {
    const { slug, category, state } = endorserFacts(id);
    return (
      allows(endorsers.endorsers, slug) &&
      allows(endorsers.categories, category) &&
      allows(endorsers.endorser_states, state)
    );
  };
  const shown = contests
    .filter(
      ({ id, level = 'state', kind = 'candidate', election = 1 }) =>
        allows(chosen.levels, level) &&
        allows(chosen.contest_kinds, kind) &&
        allows(chosen.elections, `election-${election}`) &&
        (chosen.contests?.includes(id) ?? true) &&
        chosen.electionsFrom !== DAY_AFTER,
    )
    .map((contest) => ({
      ...contest,
      picks: (contest.picks ?? [])
        .filter(({ endorser }) => counts(endorser))
        .map((pick) => ({ ...pick, rank: pick.rank ?? null })),
    }))
    .filter(({ picks }) => picks.length > 0 || !onlyEndorsed);
  const ids = [...new Set(shown.map(({ election = 1 }) => election))].sort((a, b) => a - b);
  return ids.map((id) => ({
    ...electionRecord(id),
    contests: shown
      .filter(({ election = 1 }) => election === id)
      .map((contest) => {
        const endorsed = { ...rulesOf(contest), picks: contest.picks };
        return {
          ...contestRecord(contest.id),
          choices: orderBySupport(endorsed).map(({ id: choice, first_choice_count, ...count }) => ({
            ...choiceRecord(choice),
            endorsed_by: contest.picks
              .filter((pick) => pick.choice === choice)
              .map((pick) => ({ endorser: endorserRecord(pick.endorser), ...pickRecord(pick) })),
            ...count,
            ...(first_choice_count === null ? {} : { first_choice_count }),
          })),
          recommendation: recommend(endorsed),
        };
      }),
  }));
}

const pick = fc.record({
  endorser: fc.integer({ min: 1, max: 6 }),
  choice: fc.constantFrom(10, 11, 12),
  rank: fc.option(fc.integer({ min: 1, max: 3 })),
  statement: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('\u2028 é \u2029')),
});
const contest = fc.record({
  election: fc.integer({ min: 1, max: 3 }),
  level: fc.constantFrom('state', 'city'),
  kind: fc.constantFrom('candidate', 'measure'),
  rules: fc.record({
    vote_method: fc.constantFrom(...VOTE_METHODS),
    votes_allowed: fc.constantFrom(null, 1, 2),
    // The first and the last choice may be lines of one candidate.
    choices: fc
      .constantFrom(null, 7)
      .map((candidate) =>
        [10, 11, 12].map((id) => ({ id, withdrawn: id === 11, candidate: id === 11 ? null : candidate })),
      ),
  }),
  picks: fc.uniqueArray(pick, { selector: ({ endorser, choice }) => `${endorser} ${choice}` }),
});
const ballot = fc
  .array(contest, { maxLength: 12 })
  .map((contests) => contests.toSorted((a, b) => a.election - b.election))
  .map((contests) => contests.map((each, index) => ({ id: index + 1, ...each })));
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(fc.array(values), { nil: undefined, freq: 2 });
const selection = fc.record({
  contests: fc.record({
    levels: maybe(fc.constantFrom('state', 'city')),
    contest_kinds: maybe(fc.constantFrom('candidate', 'measure')),
    elections: maybe(fc.constantFrom('election-1', 'election-2', 'election-3')),
    contests: maybe(fc.integer({ min: 1, max: 12 })),
    electionsFrom: fc.constantFrom(undefined, ELECTION_DATE, DAY_AFTER),
  }),
  endorsers: fc.record({
    endorsers: maybe(fc.integer({ min: 1, max: 6 }).map((id) => `endorser-${id}`)),
    categories: maybe(fc.constantFrom('newspaper', 'labor')),
    endorser_states: maybe(fc.constantFrom('OR', 'national')),
  }),
  onlyEndorsed: fc.boolean(),
});

test('an answer has the chosen contests with the picks of the chosen endorsers, and what these recommend', async () => {
  await fc.assert(
    fc.asyncProperty(ballot, selection, async (contests, chosen) => {
      const { elections, text } = await render(contests, chosen);
      expect(elections).toEqual(expected(contests, chosen));
      expect(text).not.toContain('\u2028');
    }),
  );
});

test('nothing more is loaded for a client that has left', async () => {
  const client = new AbortController();
  const [first, second] = await packBallots(storedBallots([{ id: 1 }, { id: 2, election: 2 }]));
  let loaded = 0;
  async function* load() {
    for (const each of [first, second]) {
      loaded += 1;
      client.abort();
      if (each) yield each;
    }
  }
  const selection = { ...selectBallots([{}], {}), onlyEndorsed: false };
  await writeElections(new BodyWriter(), load(), selection, client.signal);
  expect(loaded).toBe(1);
});

test('answers have the same ETag if and only if they have the same text', async () => {
  // Long enough to be shared instead of copied.
  const long = Array.from({ length: 100 }, (_, index) => ({ id: index + 1 }));
  const withPick = (id: number, statement: string) =>
    long.map((each) =>
      each.id === id ? { ...each, picks: [{ endorser: 1, choice: 10, statement }] } : each,
    );
  const withLast = (id: number) => [...long.slice(0, -1), { id }];
  const picked = [withPick(50, 'a'), withPick(50, 'b'), withPick(51, 'a')];
  const ballots = [long, ...picked, long.slice(1), withLast(100), withLast(200)];
  const tags = await Promise.all(ballots.map(async (each) => (await render(each)).etag));
  expect(new Set(tags).size).toBe(6);
  expect(tags[5]).toBe(tags[0]);
  // A pick that does not count leaves the text as it is without picks.
  const others = { endorsers: { categories: ['labor'] } };
  expect((await render(withPick(50, 'a'), others)).etag).toBe((await render(long, others)).etag);
});

test('long parts without chosen picks are not copied', async () => {
  const contests = Array.from({ length: 400 }, (_, index) => ({ id: index + 1 }));
  const { pieces } = await render(contests);
  const [ballot] = await packBallots(storedBallots(contests));
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(ballot?.text.length);
});

test('other work gets its turn while a large answer is packed and written', async () => {
  const picks = Array.from({ length: 50 }, (_, index) => ({ endorser: index + 1, choice: 10 + (index % 3) }));
  const contests = Array.from({ length: 2000 }, (_, index) => ({ id: index + 1, picks }));
  let turns = 0;
  let isDone = false;
  const takeTurn = () => {
    turns += 1;
    if (!isDone) setImmediate(takeTurn);
  };
  const stored = storedBallots(contests);
  takeTurn();
  const [ballot] = await packBallots(stored);
  if (!ballot) throw new Error('There is no ballot.');
  const packing = turns;
  const whole = { ...selectBallots([{}, {}], {}), onlyEndorsed: false };
  await writeElections(new BodyWriter(), [ballot], whole, OPEN);
  isDone = true;
  expect(packing).toBeGreaterThan(3);
  expect(turns - packing).toBeGreaterThan(3);
});
