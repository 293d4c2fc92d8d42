import { countFirstChoices, countMentions, type Ranking, restrictRankings } from './ranking.ts';

/** The most ways of breaking ties that are followed. A contest with more of them counts as an unbreakable tie. */
const MAX_FIELDS = 1000;

/**
 * Orders choices by repeated instant run-offs: the winner, then the winner among the rest, and so on. This is the
 * recommendation of a ranked-choice contest. Ends when every ranked choice is placed, or at a tie that cannot be broken.
 *
 * @param limit the most choices to order; null for no limit.
 */
export function orderByRunoffs(rankings: readonly Ranking[], limit: number | null): number[] {
  const order: number[] = [];
  let left: readonly Ranking[] = rankings;
  while (left.length > 0 && (limit === null || order.length < limit)) {
    const winner = findWinner(left);
    if (winner === null) break;
    order.push(winner);
    left = restrictRankings(left, (choice) => choice !== winner);
  }
  return order;
}

/**
 * Finds the winner of one instant run-off. The choice with the fewest first places is eliminated, and its supporters
 * count for their next choice, until one choice is left. A choice that more than half have first cannot be eliminated.
 *
 * A tie for last place is broken in every possible way. The winner is the choice that wins in all of them. Null if there
 * is none, since then the tie would decide.
 */
function findWinner(rankings: readonly Ranking[]): number | null {
  const winners = new Set<number>();
  const seen = new Set<string>();
  const mentions = countMentions(rankings);
  const open = [[...mentions.keys()].sort((a, b) => a - b)];
  for (let field = open.pop(); field; field = open.pop()) {
    const name = field.join();
    if (seen.has(name)) continue;
    seen.add(name);
    // The limit counts distinct fields, so the order of the fields does not matter.
    if (seen.size > MAX_FIELDS) return null;
    const [only] = field;
    if (field.length === 1 && only !== undefined) {
      winners.add(only);
      if (winners.size > 1) return null;
      continue;
    }
    for (const out of findLosers(rankings, mentions, field)) {
      open.push(field.filter((choice) => !out.has(choice)));
    }
  }
  const [winner = null] = winners;
  return winner;
}

/**
 * The choices to eliminate next: one group, or each tied choice alone if there is a tie for last place.
 *
 * Choices are eliminated as a group if, in every order of elimination, each of them goes before any other choice: even
 * with all the votes that they could inherit, none of them reaches the others. This skips ties that make no difference.
 */
function findLosers(
  rankings: readonly Ranking[],
  mentions: ReadonlyMap<number, number>,
  field: readonly number[],
): ReadonlySet<number>[] {
  const standing = new Set(field);
  const firsts = countFirstChoices(rankings, (choice) => standing.has(choice));
  const votes = (choice: number) => firsts.get(choice) ?? 0;
  const weakestFirst = field.toSorted((a, b) => votes(a) - votes(b));
  let size = 0;
  // Of the choices weaker than the present one: the sum of their votes, and the most endorsers that rank one of them.
  let together = 0;
  let widest = 0;
  for (const [before, choice] of weakestFirst.entries()) {
    if (Math.min(together, widest) < votes(choice)) size = before;
    together += votes(choice);
    widest = Math.max(widest, mentions.get(choice) ?? 0);
  }
  if (size > 0) return [new Set(weakestFirst.slice(0, size))];
  const fewest = votes(weakestFirst[0] as number);
  return weakestFirst.filter((choice) => votes(choice) === fewest).map((choice) => new Set([choice]));
}
