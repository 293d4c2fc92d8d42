import { isMoreThanHalf } from './agreement.ts';
import { countMentions, type Ranking } from './ranking.ts';

/** The number of endorsers by choice. */
type Counts = ReadonlyMap<number, number>;

/**
 * Orders choices by repeated instant run-offs: the winner, then the winner among the rest, and so on. This is the
 * recommendation of a ranked-choice contest. Ends when every ranked choice is placed, or at a run-off without a winner.
 *
 * @param limit the most choices to order; null for no limit.
 */
export function orderByRunoffs(rankings: readonly Ranking[], limit: number | null): number[] {
  const order: number[] = [];
  const mentions = countMentions(rankings);
  const left = new Set(mentions.keys());
  while (left.size > 0 && (limit === null || order.length < limit)) {
    const winner = findWinner(rankings, left, mentions);
    if (winner === null) break;
    order.push(winner);
    left.delete(winner);
  }
  return order;
}

/**
 * Finds the winner of one instant run-off. In each round, every ranking counts for its best remaining choice, or for
 * several if they share its first place. A choice with more than half of the rankings that still count wins. Otherwise
 * the weakest choice goes out. The last choice has all of them.
 *
 * The work is polynomial: a round removes a choice, and a ranking only ever moves on to later places.
 *
 * @param takingPart the choices of the run-off.
 * @param mentions how many endorsers rank each choice at all.
 * @returns null if a tie cannot be broken.
 */
function findWinner(
  rankings: readonly Ranking[],
  takingPart: ReadonlySet<number>,
  mentions: Counts,
): number | null {
  const remaining = new Set(takingPart);
  const places = rankings.map(() => 0);
  const rounds: Counts[] = [];
  while (true) {
    const { votes, counting } = countRound(rankings, places, remaining);
    const winner = findMajority(votes, counting);
    if (winner !== null) return winner;
    rounds.push(votes);
    const out = findWeakest(rounds, mentions);
    if (out === null) return null;
    for (const choice of out) remaining.delete(choice);
  }
}

/**
 * Counts the votes of a round, and the rankings that still count.
 *
 * @param places the place of each ranking that counted in the round before; moved on to the place that counts in this one.
 */
function countRound(
  rankings: readonly Ranking[],
  places: number[],
  remaining: ReadonlySet<number>,
): { votes: Counts; counting: number } {
  const votes = new Map([...remaining].map((choice) => [choice, 0]));
  let counting = 0;
  for (const [index, ranking] of rankings.entries()) {
    let place = places[index] ?? 0;
    while (ranking[place]?.every((choice) => !remaining.has(choice))) place += 1;
    places[index] = place;
    const best = ranking[place];
    if (best === undefined) continue;
    counting += 1;
    for (const choice of best) {
      const before = votes.get(choice);
      if (before !== undefined) votes.set(choice, before + 1);
    }
  }
  return { votes, counting };
}

/**
 * The choice with more than half of the rankings that still count. Rankings with several first choices allow several such
 * choices; then the one with most votes. Null if there is none, or if most votes are shared.
 */
function findMajority(votes: Counts, counting: number): number | null {
  const most = Math.max(...votes.values());
  if (!isMoreThanHalf(most, counting)) return null;
  const [leader, ...equals] = [...votes.keys()].filter((choice) => votes.get(choice) === most);
  return leader === undefined || equals.length > 0 ? null : leader;
}

/**
 * The choices that go out after the last of these rounds: the one with fewest votes. A tie is broken by the latest
 * earlier round in which the tied differ, then by the number of endorsers that rank them at all. Choices that still tie
 * go out together if all their votes together are fewer than the next choice's, because their order does not matter then.
 *
 * @returns null if nothing decides.
 */
function findWeakest(rounds: readonly Counts[], mentions: Counts): number[] | null {
  const votes = rounds.at(-1) ?? mentions;
  let tied = [...votes.keys()];
  for (const counts of [...rounds.toReversed(), mentions]) {
    const fewest = fewestAmong(counts, tied);
    tied = tied.filter((choice) => counts.get(choice) === fewest);
    if (tied.length === 1) return tied;
  }
  const others = [...votes.keys()].filter((choice) => !tied.includes(choice));
  if (others.length === 0) return null;
  const together = tied.reduce((sum, choice) => sum + (votes.get(choice) ?? 0), 0);
  return together < fewestAmong(votes, others) ? tied : null;
}

function fewestAmong(counts: Counts, choices: readonly number[]): number {
  return Math.min(...choices.map((choice) => counts.get(choice) ?? 0));
}
