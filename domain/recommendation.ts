import type { Recommendation } from '../schemas/http/recommendations.ts';
import type { VoteMethod } from '../schemas/vocabulary.ts';
import { isMoreThanHalf, judgeAgreement } from './agreement.ts';
import { orderByRunoffs } from './instant-runoff.ts';
import { countFirstChoices, type Pick, readRankings, restrictRankings } from './ranking.ts';

/** A contest, and what the chosen endorsers picked in it. */
export interface EndorsedContest {
  vote_method: VoteMethod;
  /** Null where the source does not say. */
  votes_allowed: number | null;
  /** Null where there is no limit. */
  ranks_allowed: number | null;
  /** In ballot order. */
  choices: readonly { id: number; withdrawn: boolean }[];
  /** In any order. */
  picks: readonly Pick[];
}

/** A choice that can be marked and that somebody backs. */
interface Contender {
  id: number;
  backers: number;
}

/** What is to be marked, and how many backers are behind it; null where nothing is. */
interface Outcome {
  choice_ids: number[];
  support: number | null;
}

/** The rules of a vote method: contenders come most-backed first, ties in ballot order. */
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
    const contending = new Set(contenders.map(({ id }) => id));
    const rankings = restrictRankings(readRankings(picks), (choice) => contending.has(choice));
    const choice_ids = orderByRunoffs(rankings, ranks_allowed);
    const [first] = choice_ids;
    return {
      choice_ids,
      support: first === undefined ? null : (countFirstChoices(rankings).get(first) ?? 0),
    };
  },
};

/**
 * What to mark in a contest, by the picks of the chosen endorsers (specification, "Recommendation").
 *
 * What the rules leave open is decided so:
 * - A choice that nobody backs is never recommended, however many seats are left.
 * - A withdrawn choice does not compete: the next one leads, and a ranking goes on to its next choice. Who backs only
 *   withdrawn choices has taken a position all the same, and stands against unanimity.
 * - Where choices tied across the last seat are left out, agreement looks at those that are recommended; where all are
 *   left out, it is `split`.
 * - An endorser that backs more choices than there are seats backs each of them in full, and is one endorser.
 * - Choices to mark come most-backed first, ties in ballot order; a ranking comes in its own order.
 */
export function recommend(contest: EndorsedContest): Recommendation {
  const endorser_count = new Set(contest.picks.map(({ endorser }) => endorser)).size;
  const contenders = findContenders(contest);
  const { choice_ids, support } = RULES[contest.vote_method](contenders, endorser_count, contest);
  return { choice_ids, endorser_count, agreement: judgeAgreement(endorser_count, support) };
}

/**
 * The choices of a contest, most-backed first, ties in ballot order, withdrawn ones too.
 *
 * `first_choice_count` is what the endorsers have first of all their picks, withdrawn or not; null where the contest is
 * no ranked choice.
 */
export function orderBySupport({ vote_method, choices, picks }: EndorsedContest): {
  id: number;
  endorsement_count: number;
  first_choice_count: number | null;
}[] {
  const counts = countBackers(picks);
  const firsts = vote_method === 'ranked_choice' ? countFirstChoices(readRankings(picks)) : null;
  return choices
    .map(({ id }) => ({
      id,
      endorsement_count: counts.get(id) ?? 0,
      first_choice_count: firsts && (firsts.get(id) ?? 0),
    }))
    .sort((a, b) => b.endorsement_count - a.endorsement_count);
}

function countBackers(picks: readonly Pick[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { choice } of picks) counts.set(choice, (counts.get(choice) ?? 0) + 1);
  return counts;
}

function findContenders({ choices, picks }: EndorsedContest): Contender[] {
  const counts = countBackers(picks);
  return choices
    .flatMap(({ id, withdrawn }) => {
      const backers = counts.get(id);
      return withdrawn || backers === undefined ? [] : [{ id, backers }];
    })
    .sort((a, b) => b.backers - a.backers);
}

/** The one with strictly most backers, or none. */
function leaderOf([first, second]: Contender[]): Contender[] {
  return first && first.backers > (second?.backers ?? 0) ? [first] : [];
}

function moreThanHalfOf(contenders: Contender[], backers: number): Contender[] {
  return contenders.filter((contender) => isMoreThanHalf(contender.backers, backers));
}

/** As many as there are seats, without those that tie with one that has no seat. */
function fillSeats(contenders: Contender[], seats: number): Contender[] {
  const firstWithout = contenders[seats]?.backers ?? 0;
  return contenders.slice(0, seats).filter(({ backers }) => backers > firstWithout);
}

/** Recommends these, which come most-backed first; the last has the least support. */
function markAll(marked: Contender[]): Outcome {
  return { choice_ids: marked.map(({ id }) => id), support: marked.at(-1)?.backers ?? null };
}
