import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type EndorsedContest, orderBySupport, recommend } from '../../domain/recommendation.ts';
import { contestOf, labelOf } from '../helpers/ballots/recommended-contests.ts';
import { firstChoicesSlowly, orderSlowly } from '../helpers/ballots/slow-runoffs.ts';

/** Picks of one endorser: the ranked ones in order, some ranks skipped, and some of them without a rank. */
const positionOf = (choices: number[]) =>
  fc
    .tuple(
      fc.shuffledSubarray(choices),
      fc.array(fc.integer({ min: 1, max: 2 }), { minLength: choices.length, maxLength: choices.length }),
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: choices.length, maxLength: choices.length }),
    )
    .map(([picked, steps, unranked]) =>
      picked.map((choice, index) => ({
        choice,
        rank: unranked[index] === 0 ? null : steps.slice(0, index + 1).reduce((sum, step) => sum + step, 0),
      })),
    );

/** Few endorsers, so that most contests have ties. */
const contest: fc.Arbitrary<EndorsedContest> = fc.integer({ min: 1, max: 7 }).chain((count) => {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  return fc
    .record({
      ranks_allowed: fc.option(fc.integer({ min: 1, max: 5 })),
      choices: fc.tuple(
        ...ids.map((id) =>
          fc.record({
            id: fc.constant(id),
            withdrawn: fc.integer({ max: 5, min: 0 }).map((n) => n === 0),
            candidate: fc.constant(null),
          }),
        ),
      ),
      positions: fc.array(positionOf(ids), { maxLength: 12 }),
    })
    .map(({ positions, ...rest }) => ({
      ...rest,
      vote_method: 'ranked_choice',
      votes_allowed: 1,
      picks: positions.flatMap((picks, index) => picks.map((pick) => ({ endorser: index + 1, ...pick }))),
    }));
});

const check = (holds: (given: EndorsedContest) => void) =>
  fc.assert(fc.property(contest, holds), { numRuns: 300 });

describe('a ranked contest', () => {
  test('has the ranking, the first choices and the agreement of a slow implementation of the rules', () => {
    check((given) => {
      const { choice_ids, endorser_count, agreement } = recommend(given);
      expect(choice_ids).toEqual(orderSlowly(given));
      for (const { id, first_choice_count } of orderBySupport(given)) {
        expect([id, first_choice_count]).toEqual([id, firstChoicesSlowly(given, id)]);
      }
      const [first] = choice_ids;
      const backers = new Set(given.picks.map(({ endorser }) => endorser)).size;
      const share = first === undefined ? 0 : firstChoicesSlowly(given, first) / backers;
      expect(endorser_count).toBe(backers);
      if (backers === 0) expect(agreement).toBe('none');
      else if (first === undefined) expect(agreement).toBe('split');
      else expect(agreement).toBe(share === 1 ? 'unanimous' : share > 0.5 ? 'majority' : 'plurality');
    });
  });

  test('is decided in the same way in any order of picks and choices', () => {
    const shuffled = contest.chain((given) =>
      fc.tuple(
        fc.constant(given),
        fc.shuffledSubarray([...given.picks], { minLength: given.picks.length }),
        fc.shuffledSubarray([...given.choices], { minLength: given.choices.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([given, picks, choices]) => {
        expect(recommend({ ...given, picks, choices })).toEqual(recommend(given));
      }),
      { numRuns: 300 },
    );
  });

  test('is decided by a choice that more than half rank first, even if the others tie', () => {
    const leading = contest.map((given) => {
      const more = given.picks.reduce((most, { endorser }) => Math.max(most, endorser), 0) + 1;
      const picks = Array.from({ length: more }, (_, index) => ({
        endorser: more + index,
        choice: 99,
        rank: 1,
      }));
      return {
        ...given,
        choices: [...given.choices, { id: 99, withdrawn: false, candidate: null }],
        picks: [...given.picks, ...picks],
      };
    });
    fc.assert(
      fc.property(leading, (given) => {
        const { choice_ids, agreement } = recommend(given);
        expect(choice_ids[0]).toBe(99);
        expect(['unanimous', 'majority']).toContain(agreement);
      }),
      { numRuns: 300 },
    );
  });

  /*
   * Each of the choices 1 to last - 1 has its own endorsers, which rank the last choice second and then all choices after
   * their own. So all of these choices tie in the first round, and a choice has more mentions than those before it.
   */
  test.each([
    [30, 1],
    [60, 8],
  ])('is decided although %d choices tie in round after round, with %d endorsers each', (last, each) => {
    const ids = Array.from({ length: last }, (_, index) => index + 1);
    const picks = ids.flatMap((own) =>
      Array.from({ length: each }, (_, copy) => {
        const ranking = own === last ? [last] : [own, last, ...ids.filter((id) => id > own && id < last)];
        return ranking.map((choice, index) => ({ endorser: own * each + copy, choice, rank: index + 1 }));
      }).flat(),
    );
    const choices = ids.map((id) => ({ id, withdrawn: false, candidate: null }));
    const { choice_ids } = recommend({ ...contestOf('ranked_choice', []), choices, picks });
    // The last choice gets every vote that moves. Without it, the votes of 1 move to 2, those of 3 to 4 and so on; among
    // these pairs, 2 has been ahead for the longest time.
    expect(choice_ids.slice(0, 2)).toEqual([last, 2]);
  });

  // The shapes of cases that PyRankVote and RCTab publish for their tests.
  test.each([
    ['the last one goes out and decides a tie', ['A>B', 'B>C', 'B>C', 'C>B', 'C>B>A'], 'BCA'],
    [
      'of two that tie for fewest, the one that was behind in the round before goes out',
      ['A', 'A', 'A', 'A', 'B>A', 'B>A', 'B>A', 'C>B', 'C>B', 'D>C>B'],
      'BACD',
    ],
    ['a skipped rank counts as if it were not there', ['A>>B', 'B>>A', 'C>>>B'], 'BAC'],
    [
      'a ranking without a remaining choice counts for nobody',
      ['A', 'A', 'A', 'A', 'B', 'B', 'B>C', 'C>D', 'D'],
      'ABCD',
    ],
  ])('%s', (_, endorsers, expected) => {
    const given = contestOf('ranked_choice', endorsers);
    expect(recommend(given).choice_ids.map(labelOf).join('')).toBe(expected);
    expect(orderSlowly(given)).toEqual(recommend(given).choice_ids);
  });
});
