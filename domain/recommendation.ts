import type { Recommendation } from '../schemas/http/recommendations.ts';
import type { VoteMethod } from '../schemas/vocabulary.ts';
import { isMoreThanHalf, judgeAgreement } from './agreement.ts';
import { type ContestChoice, findContenders } from './contenders.ts';
import { orderByRunoffs } from './instant-runoff.ts';
import { countChoices, countFirstChoices, type Pick, readRankings } from './ranking.ts';

/** A contest with the picks of the chosen endorsers. */
export interface EndorsedContest {
  vote_method: VoteMethod;
  /** Null if the source has no number. */
  votes_allowed: number | null;
  /** Null for no limit. */
  ranks_allowed: number | null;
  /** In ballot order. */
  choices: readonly ContestChoice[];
  /** In any order. */
  picks: readonly Pick[];
}

/** A contender with the number of its backers. */
interface Contender {
  id: number;
  backers: number;
}

/** The contenders to mark, and the number of endorsers that support them; null without contenders. */
interface Outcome {
  marked: number[];
  support: number | null;
}

/**
 * The rule of a vote method. Contenders come most-backed first, ties in ballot order. The picks of the contest are picks
 * of contenders.
 */
type Rule = (contenders: Contender[], backers: number, contest: EndorsedContest) => Outcome;

const RULES: Record<VoteMethod, Rule> = {
  plurality: (contenders) => markAll(leaderOf(contenders)),
  yes_no: (contenders) => markAll(leaderOf(contenders)),
  multi_seat: (contenders, backers, { votes_allowed }) =>
    markAll(
      votes_allowed === null ? moreThanHalfOf(contenders, backers) : fillSeats(contenders, votes_allowed),
    ),
  approval: (contenders, backers) => {
    const approved = moreThanHalfOf(contenders, backers);
    return markAll(approved.length > 0 ? approved : leaderOf(contenders));
  },
  ranked_choice: (contenders, _backers, { picks, ranks_allowed }) => {
    const rankings = readRankings(picks, new Set(contenders.map(({ id }) => id)));
    const marked = orderByRunoffs(rankings, ranks_allowed);
    const [first] = marked;
    return {
      marked,
      support: first === undefined ? null : (countFirstChoices(rankings).get(first) ?? 0),
    };
  },
};

/**
 * Recommends choices in a contest, by the picks of the chosen endorsers (specification, "Recommendation"). Lines of one
 * candidate count as one contender, of which one line is named (contract, "Candidates, not lines").
 *
 * The specification leaves some cases open:
 * - A choice without backers is never recommended, even if seats are left.
 * - A withdrawn choice does not compete: the next choice leads, and a ranking continues with its next choice.
 *   Endorsers that back only withdrawn choices have taken a position, which prevents unanimity.
 * - If choices that tie for the last seat are left out, the agreement is that on the recommended choices. If
 *   nothing is left to recommend, it is `split`.
 * - An endorser that backs more choices than there are seats fully backs each of them, and counts as one
 *   endorser.
 * - Choices are most-backed first, ties in ballot order; a ranking has its own order.
 */
export function recommend(contest: EndorsedContest): Recommendation {
  const endorser_count = new Set(contest.picks.map(({ endorser }) => endorser)).size;
  const standing = contest.choices.filter(({ withdrawn }) => !withdrawn);
  const { lines, picks } = findContenders(standing, contest.picks);
  const contenders = orderByBackers([...lines.keys()], picks);
  const { marked, support } = RULES[contest.vote_method](contenders, endorser_count, { ...contest, picks });
  const choice_ids = marked.map((contender) => lines.get(contender) ?? contender);
  return { choice_ids, endorser_count, agreement: judgeAgreement(endorser_count, support) };
}

/**
 * Returns the choices of a contest, including withdrawn ones, most-backed first, ties in ballot order. Lines of one
 * contender stand together, by the backers of those that stand, or of all if none stands; then by their own.
 *
 * `first_choice_count` counts the endorsers that rank the choice first among the standing choices, as the
 * agreement does. A withdrawn choice has 0. It is null unless the contest is ranked choice.
 */
export function orderBySupport({ vote_method, choices, picks }: EndorsedContest): {
  id: number;
  endorsement_count: number;
  first_choice_count: number | null;
}[] {
  const counts = countBackers(picks);
  const standing = new Set(choices.filter(({ withdrawn }) => !withdrawn).map(({ id }) => id));
  const firsts = vote_method === 'ranked_choice' ? countFirstChoices(readRankings(picks, standing)) : null;
  const { ofChoice } = findContenders(choices, []);
  const contenderOf = (id: number) => ofChoice.get(id) ?? id;
  const withStanding = new Set([...standing].map(contenderOf));
  const counted = choices.filter(({ id }) => standing.has(id) || !withStanding.has(contenderOf(id)));
  const joined = findContenders(counted, picks).picks.map((pick) => ({
    ...pick,
    choice: contenderOf(pick.choice),
  }));
  const contenders = orderByBackers([...new Set(ofChoice.values())], joined).map(({ id }) => id);
  const lines = Map.groupBy(choices, ({ id }) => contenderOf(id));
  return contenders.flatMap((contender) =>
    (lines.get(contender) ?? [])
      .map(({ id }) => ({
        id,
        endorsement_count: counts.get(id) ?? 0,
        first_choice_count: firsts && (firsts.get(id) ?? 0),
      }))
      .sort((a, b) => b.endorsement_count - a.endorsement_count),
  );
}

const countBackers = (picks: readonly Pick[]) => countChoices(picks.map(({ choice }) => choice));

/** Contenders in ballot order, ordered by their backers. */
function orderByBackers(contenders: readonly number[], picks: readonly Pick[]): Contender[] {
  const counts = countBackers(picks);
  return contenders.map((id) => ({ id, backers: counts.get(id) ?? 0 })).sort((a, b) => b.backers - a.backers);
}

/** The contender with strictly more backers than any other; empty without one. */
function leaderOf([first, second]: Contender[]): Contender[] {
  return first && first.backers > (second?.backers ?? 0) ? [first] : [];
}

function moreThanHalfOf(contenders: Contender[], backers: number): Contender[] {
  return contenders.filter((contender) => isMoreThanHalf(contender.backers, backers));
}

/** As many contenders as seats, without those that tie with a contender beyond the seats. */
function fillSeats(contenders: Contender[], seats: number): Contender[] {
  const firstWithout = contenders[seats]?.backers ?? 0;
  return contenders.slice(0, seats).filter(({ backers }) => backers > firstWithout);
}

/** Recommends contenders. The last one has the least support, because they come most-backed first. */
function markAll(marked: Contender[]): Outcome {
  return { marked: marked.map(({ id }) => id), support: marked.at(-1)?.backers ?? null };
}
