import type { EndorsedContest } from '../../../domain/recommendation.ts';

/**
 * Computes the order of repeated instant run-offs, for comparison with the real code. It is slow and shares no code
 * with it: it counts every number again from the picks, and replays every round from the first one, as the rules are
 * written.
 */
export function orderSlowly({ choices, picks: given, ranks_allowed }: EndorsedContest): number[] {
  const isWithdrawn = (id: number) => choices.some((choice) => choice.id === id && choice.withdrawn);
  // Withdrawn choices are taken out of every ranking first.
  const picks = given.filter(({ choice }) => !isWithdrawn(choice));
  const backed = choices.map(({ id }) => id).filter((id) => picks.some(({ choice }) => choice === id));
  return order(picks, backed, ranks_allowed ?? backed.length);
}

/** First choices in the words of the rules: the endorsers without a better pick among the remaining choices. */
export function firstChoicesSlowly({ choices, picks }: EndorsedContest, id: number): number {
  const standing = choices.filter(({ withdrawn }) => !withdrawn).map((choice) => choice.id);
  return standing.includes(id) ? votesFor(id, picks, standing) : 0;
}

type Picks = EndorsedContest['picks'];

/** The winner, then the same without the winner. */
function order(picks: Picks, left: number[], places: number): number[] {
  if (left.length === 0 || places === 0) return [];
  const winner = winnerAfter(picks, [left]);
  if (winner === 'nobody') return [];
  return [
    winner,
    ...order(
      picks,
      left.filter((choice) => choice !== winner),
      places - 1,
    ),
  ];
}

/** A pick without a rank counts as a first choice. */
const placeOf = (pick: Picks[number]) => (pick.rank === null ? 1 : pick.rank);

/** Every ranking counts for its best remaining pick, or picks. */
function votesFor(choice: number, picks: Picks, remaining: number[]): number {
  return picks.filter(
    (pick) =>
      pick.choice === choice &&
      !picks.some(
        (other) =>
          other.endorser === pick.endorser &&
          remaining.includes(other.choice) &&
          placeOf(other) < placeOf(pick),
      ),
  ).length;
}

/**
 * The winner of a run-off whose last round is undecided.
 *
 * @param rounds the remaining choices in each round, the first round first
 */
function winnerAfter(picks: Picks, rounds: number[][]): number | 'nobody' {
  const remaining = rounds[rounds.length - 1] as number[];
  if (remaining.length === 1) return remaining[0] as number;
  const votes = (choice: number) => votesFor(choice, picks, remaining);

  // A choice with more than half of the rankings that still count wins; of several, the one with most. If these are
  // equal, the run-off continues.
  const counting = new Set(
    picks.filter(({ choice }) => remaining.includes(choice)).map((pick) => pick.endorser),
  );
  const overHalf = remaining.filter((choice) => votes(choice) > counting.size / 2);
  const winner = overHalf.find((choice) =>
    overHalf.every((rival) => rival === choice || votes(rival) < votes(choice)),
  );
  if (winner !== undefined) return winner;

  const goOut = (...out: number[]) =>
    winnerAfter(picks, [...rounds, remaining.filter((choice) => !out.includes(choice))]);

  // Otherwise the one with fewest drops out.
  const withFewest = (among: number[], count: (choice: number) => number) =>
    among.filter((choice) => among.every((rival) => count(rival) >= count(choice)));
  let tied = withFewest(remaining, votes);
  if (tied.length === 1) return goOut(...tied);

  // A tie is broken by the latest earlier round in which the tied differ.
  for (let round = rounds.length - 2; round >= 0; round -= 1) {
    tied = withFewest(tied, (choice) => votesFor(choice, picks, rounds[round] as number[]));
  }
  if (tied.length === 1) return goOut(...tied);

  // Then by the number of endorsers that pick them at any rank.
  tied = withFewest(tied, (choice) => picks.filter((pick) => pick.choice === choice).length);
  if (tied.length === 1) return goOut(...tied);

  // Those still tied drop out together if they hold no votes at all, or if all their votes together are fewer than the
  // next choice's. Otherwise, or if all remaining choices are tied, the ranking ends.
  const others = remaining.filter((choice) => !tied.includes(choice)).map(votes);
  const together = tied.map(votes).reduce((sum, count) => sum + count, 0);
  if (others.length > 0 && (together === 0 || others.every((count) => together < count)))
    return goOut(...tied);
  return 'nobody';
}
