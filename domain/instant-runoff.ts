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
  const open = [[...countMentions(rankings).keys()].sort((a, b) => a - b)];
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
    for (const out of findLosers(rankings, field)) {
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
function findLosers(rankings: readonly Ranking[], field: readonly number[]): ReadonlySet<number>[] {
  const standing = new Set(field);
  const left = restrictRankings(rankings, (choice) => standing.has(choice));
  const firsts = countFirstChoices(left);
  const mentions = countMentions(left);
  const votes = (choice: number) => firsts.get(choice) ?? 0;
  const weakestFirst = field.toSorted((a, b) => votes(a) - votes(b));
  for (let size = field.length - 1; size > 0; size -= 1) {
    const group = weakestFirst.slice(0, size);
    const next = votes(weakestFirst[size] as number);
    const together = group.reduce((sum, choice) => sum + votes(choice), 0);
    if (group.every((choice) => Math.min(together, mentions.get(choice) ?? 0) < next)) {
      return [new Set(group)];
    }
  }
  const fewest = votes(weakestFirst[0] as number);
  return weakestFirst.filter((choice) => votes(choice) === fewest).map((choice) => new Set([choice]));
}
