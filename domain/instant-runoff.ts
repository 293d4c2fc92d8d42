import { isMoreThanHalf } from './agreement.ts';
import { countChoices, type Ranking } from './ranking.ts';
import { Tally } from './tally.ts';

/**
 * Orders choices by repeated instant run-offs: the winner, then the winner among the rest, and so on. This is
 * the recommendation of a ranked-choice contest. It ends when every ranked choice has a place, or at a
 * run-off without a winner.
 *
 * @param limit the most choices to order; null for no limit.
 */
export function orderByRunoffs(rankings: readonly Ranking[], limit: number | null): number[] {
  const order: number[] = [];
  const mentions = countChoices(rankings.flat(2));
  const left = new Set(mentions.keys());
  while (left.size > 0 && (limit === null || order.length < limit)) {
    const winner = findWinner(new Tally(rankings, left), mentions);
    if (winner === null) break;
    order.push(winner);
    left.delete(winner);
  }
  return order;
}

/**
 * Finds the winner of one instant run-off. In each round, every ranking counts for its best remaining choice,
 * or for several choices that share its first place. A choice with more than half of the rankings that still
 * count wins. Otherwise the weakest choice goes out. The last choice has all of them.
 *
 * @param mentions the number of endorsers that rank each choice.
 * @returns null if a tie cannot be broken.
 */
function findWinner(tally: Tally, mentions: ReadonlyMap<number, number>): number | null {
  // Strength orders the choices by the votes of this round, then of each earlier round back to the first,
  // then by their mentions.
  let strength = mentions;
  while (true) {
    const winner = findMajority(tally);
    if (winner !== null) return winner;
    strength = orderByVotes(tally.votes, strength);
    const weakest = findWeakest(tally.votes, strength);
    if (weakest === null) return null;
    for (const choice of weakest) tally.takeOut(choice);
  }
}

/**
 * Returns the choice with more than half of the rankings that still count. Rankings with several first
 * choices allow several such choices; then the one with the most votes wins. Null without such a choice, or
 * if several have equally many votes.
 */
function findMajority({ votes, rankings }: Tally): number | null {
  const most = Math.max(...votes.values());
  const [leader, ...equals] = [...votes.keys()].filter((choice) => votes.get(choice) === most);
  return leader !== undefined && equals.length === 0 && isMoreThanHalf(most, rankings) ? leader : null;
}

/** Ranks the choices, 1 for the weakest, by votes and then by previous strength. Equals share a place. */
function orderByVotes(
  votes: ReadonlyMap<number, number>,
  strength: ReadonlyMap<number, number>,
): Map<number, number> {
  const sorted = [...votes]
    .map(([choice, count]) => ({ choice, count, before: strength.get(choice) ?? 0 }))
    .sort((a, b) => a.count - b.count || a.before - b.before);
  const places = new Map<number, number>();
  for (const [index, { choice, count, before }] of sorted.entries()) {
    const weaker = sorted[index - 1];
    const isEqual = weaker?.count === count && weaker.before === before;
    places.set(choice, isEqual ? (places.get(weaker.choice) ?? 0) : index + 1);
  }
  return places;
}

/**
 * Returns the weakest choices, which go out. Several equally weak choices go out together if they have no votes, or if
 * all their votes together are fewer than the next choice's, because their order then does not matter.
 *
 * @returns null if a tie cannot be broken.
 */
function findWeakest(
  votes: ReadonlyMap<number, number>,
  strength: ReadonlyMap<number, number>,
): number[] | null {
  const least = Math.min(...strength.values());
  const choices = [...votes.keys()];
  const weakest = choices.filter((choice) => strength.get(choice) === least);
  if (weakest.length === 1) return weakest;
  const others = choices.filter((choice) => strength.get(choice) !== least);
  if (others.length === 0) return null;
  const votesOf = (choice: number) => votes.get(choice) ?? 0;
  const together = weakest.map(votesOf).reduce((sum, count) => sum + count, 0);
  return together === 0 || together < Math.min(...others.map(votesOf)) ? weakest : null;
}
