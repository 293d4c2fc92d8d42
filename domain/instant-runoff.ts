import { countFirstChoices, countMentions, type Ranking, restrictRankings } from './ranking.ts';

/** So many ways of breaking ties are followed; a contest with more of them has a tie that cannot be broken. */
const MAX_FIELDS = 1000;

/**
 * The order that repeated instant run-offs give: the winner, then the winner without it, and so on (the recommendation
 * of a ranked-choice contest). It ends with the choices that somebody ranked, or at a tie that cannot be broken.
 *
 * @param limit how many choices at most; null where there is no limit.
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
 * The winner of one instant run-off: the choice that fewest have first goes out, and who had it first now has the next
 * one first, until one is left. A choice of which more than half have nothing better cannot go out before that.
 *
 * A tie for last place is broken every way there is, and the winner is the one that wins however it is broken. Null
 * where that is nobody: the tie decides, and nothing breaks it.
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
    // Who gives up here, or there, gives the same answer: so the order in which fields are tried is of no account.
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
 * Who goes out next: one group, or where there is a tie for last place, each of the tied alone.
 *
 * A group goes out together when each of it would go out before any other, in whatever order: when even with all that
 * they could be handed, none reaches the others. That spares following ties that make no difference.
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
  // Of those that come before a choice: all their votes together, and the most endorsers that one of them has anywhere.
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
