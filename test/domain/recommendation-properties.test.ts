import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type EndorsedContest, orderBySupport, recommend } from '../../domain/recommendation.ts';
import { VOTE_METHODS } from '../../schemas/vocabulary.ts';
import { orderBySupportSlowly, recommendSlowly } from '../helpers/ballots/slow-recommendation.ts';

const CHOICES = [11, 12, 13, 14, 15];

/** Several endorsers with a few picks each. The ranks of an endorser differ. */
const picksOf = (ranked: boolean) =>
  fc
    .array(
      fc.uniqueArray(
        fc.record({
          choice: fc.constantFrom(...CHOICES),
          rank: ranked ? fc.option(fc.integer({ min: 1, max: 9 })) : fc.constant(null),
        }),
        { maxLength: 5, selector: ({ choice }) => choice },
      ),
      { maxLength: 7 },
    )
    .map((endorsers) =>
      endorsers.flatMap((picks, index) => {
        const ranks = new Set<number>();
        return picks.map(({ choice, rank }) => {
          const free = rank !== null && !ranks.has(rank);
          if (free) ranks.add(rank);
          return { endorser: index + 1, choice, rank: free ? rank : null };
        });
      }),
    );

const limit = fc.option(fc.integer({ min: 1, max: 4 }));
/** @param candidate the candidate of a choice */
const contestWith = (candidate: fc.Arbitrary<number | null>): fc.Arbitrary<EndorsedContest> =>
  fc.constantFrom(...VOTE_METHODS).chain((vote_method) =>
    fc.record({
      vote_method: fc.constant(vote_method),
      votes_allowed: limit,
      ranks_allowed: limit,
      choices: fc.tuple(
        ...CHOICES.map((id) => fc.record({ id: fc.constant(id), withdrawn: fc.boolean(), candidate })),
      ),
      picks: picksOf(vote_method === 'ranked_choice'),
    }),
  );

const contest = contestWith(fc.constant(null));
/** Several choices can be lines of one candidate. */
const fusion = contestWith(fc.option(fc.constantFrom(1, 2)));

const check = (holds: (contest: EndorsedContest) => void) =>
  fc.assert(fc.property(contest, holds), { numRuns: 1000 });

test('the order of the picks never matters', () => {
  fc.assert(
    fc.property(
      contest.chain((given) =>
        fc.tuple(
          fc.constant(given),
          fc.shuffledSubarray([...given.picks], { minLength: given.picks.length }),
        ),
      ),
      ([given, picks]) => {
        expect(recommend({ ...given, picks })).toEqual(recommend(given));
        expect(orderBySupport({ ...given, picks })).toEqual(orderBySupport(given));
      },
    ),
    { numRuns: 1000 },
  );
});

test('swapping endorsers never matters, nor does the order of choices except in ties', () => {
  check((given) => {
    const picks = given.picks.map((pick) => ({ ...pick, endorser: 100 - pick.endorser }));
    expect(recommend({ ...given, picks })).toEqual(recommend(given));
    const { choice_ids, ...rest } = recommend({ ...given, choices: given.choices.toReversed() });
    const before = recommend(given);
    expect({ ...rest, choice_ids: choice_ids.toSorted() }).toEqual({
      ...before,
      choice_ids: before.choice_ids.toSorted(),
    });
    if (given.vote_method === 'ranked_choice') expect(choice_ids).toEqual(before.choice_ids);
  });
});

test('another endorser that backs only the first recommendation never removes it', () => {
  check((given) => {
    const [leader] = recommend(given).choice_ids;
    fc.pre(leader !== undefined);
    const picks = [...given.picks, { endorser: 99, choice: leader, rank: null }];
    expect(recommend({ ...given, picks }).choice_ids[0]).toBe(leader);
  });
});

test('recommends only choices with backers that are not withdrawn, each once and no more than allowed', () => {
  check((given) => {
    const { choice_ids } = recommend(given);
    const { vote_method, votes_allowed, ranks_allowed } = given;
    expect(new Set(choice_ids).size).toBe(choice_ids.length);
    for (const id of choice_ids) {
      expect(given.choices).toContainEqual({ id, withdrawn: false, candidate: null });
      expect(given.picks.some(({ choice }) => choice === id)).toBe(true);
    }
    const allowed = {
      plurality: 1,
      yes_no: 1,
      multi_seat: votes_allowed ?? Number.POSITIVE_INFINITY,
      approval: Number.POSITIVE_INFINITY,
      ranked_choice: ranks_allowed ?? Number.POSITIVE_INFINITY,
    }[vote_method];
    expect(choice_ids.length).toBeLessThanOrEqual(allowed);
  });
});

test('the agreement reflects the support: all, more than half, fewer, no recommendation, no endorsers', () => {
  check((given) => {
    const { choice_ids, endorser_count, agreement } = recommend(given);
    const endorsers = new Set(given.picks.map(({ endorser }) => endorser));
    expect(endorser_count).toBe(endorsers.size);
    const backs = (endorser: number, id: number) =>
      given.picks.some((pick) => pick.endorser === endorser && pick.choice === id);
    const shares = choice_ids.map((id) => [...endorsers].filter((each) => backs(each, id)).length);
    const least = Math.min(...shares) / endorser_count;
    if (agreement === 'none') expect(endorser_count).toBe(0);
    else expect(endorser_count).toBeGreaterThan(0);
    expect(choice_ids.length === 0).toBe(agreement === 'none' || agreement === 'split');
    if (agreement === 'unanimous' && given.vote_method !== 'ranked_choice') expect(least).toBe(1);
    if (agreement === 'unanimous') expect(shares[0]).toBe(endorser_count);
    if (agreement === 'majority' && given.vote_method !== 'ranked_choice') {
      expect(least).toBeGreaterThan(0.5);
      expect(least).toBeLessThan(1);
    }
    if (agreement === 'plurality' && given.vote_method !== 'ranked_choice') {
      expect(least).toBeLessThanOrEqual(0.5);
    }
  });
});

test('a run-off between two choices is won by the one that more endorsers rank first', () => {
  fc.assert(
    fc.property(fc.nat(9), fc.nat(9), (first, second) => {
      const picks = Array.from({ length: first + second }, (_, index) => ({
        endorser: index + 1,
        choice: index < first ? 11 : 12,
        rank: 1,
      }));
      const { choice_ids } = recommend({
        vote_method: 'ranked_choice',
        votes_allowed: 1,
        ranks_allowed: 1,
        choices: CHOICES.map((id) => ({ id, withdrawn: false, candidate: null })),
        picks,
      });
      expect(choice_ids).toEqual(first === second ? [] : [first > second ? 11 : 12]);
    }),
  );
});

test('INV-16: every recommendation and order is that of a slow implementation of the rules, in 5,000 contests', () => {
  fc.assert(
    fc.property(fusion, (given) => {
      const order = orderBySupport(given).map((each) => `${each.id} ${each.endorsement_count}`);
      const real = { ...recommend(given), order };
      const slow = { ...recommendSlowly(given), order: orderBySupportSlowly(given) };
      // The matcher takes longer than both, and is only needed for its message.
      if (JSON.stringify(real) !== JSON.stringify(slow)) expect(real).toEqual(slow);
    }),
    { numRuns: 5_000 },
  );
});

test('INV-16: a candidate on several lines is recommended like the same candidate on one', () => {
  fc.assert(
    fc.property(fusion, (given) => {
      const standing = given.choices.filter(({ withdrawn }) => !withdrawn);
      const firstOf = (id: number) => {
        const { candidate } = standing.find((choice) => choice.id === id) ?? { candidate: null };
        return candidate === null ? id : (standing.find((line) => line.candidate === candidate)?.id ?? id);
      };
      // Each endorser picks the first line, once, in place of any other.
      const merged = given.picks.map((pick) => ({ ...pick, choice: firstOf(pick.choice) }));
      const placeOf = ({ rank }: { rank: number | null }) => rank ?? 1;
      const picks = merged.filter(
        (pick, index) =>
          !merged.some(
            (other, at) =>
              other.endorser === pick.endorser &&
              other.choice === pick.choice &&
              (placeOf(other) < placeOf(pick) || (placeOf(other) === placeOf(pick) && at < index)),
          ),
      );
      const choices = given.choices.map((choice) => ({ ...choice, candidate: null }));
      const { choice_ids, ...rest } = recommend(given);
      expect({ choice_ids: choice_ids.map(firstOf), ...rest }).toEqual(
        recommend({ ...given, choices, picks }),
      );
    }),
    { numRuns: 500 },
  );
});
