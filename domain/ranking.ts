/** An endorser's pick of a choice, by their ids. An endorser picks a choice at most once. */
export interface Pick {
  endorser: number;
  choice: number;
  rank: number | null;
}

/** An endorser's choices, best first, in groups of equal rank. Groups are never empty. */
export type Ranking = readonly (readonly number[])[];

/** The rank of a pick without one: a first choice. */
const UNRANKED = 1;

/** The place of a pick in its endorser's ranking: 1 is first. */
export const placeOf = ({ rank }: Pick): number => rank ?? UNRANKED;

/**
 * Returns the ranking of each endorser with a pick among the standing choices (specification, "Position").
 * Only the order of ranks counts: if an endorser ranks a choice second and no standing choice first, the
 * second choice counts as first, as on a ballot with a skipped rank. All picks without a rank are first
 * choices, together with the pick of rank 1.
 */
export function readRankings(picks: readonly Pick[], standing: ReadonlySet<number>): Ranking[] {
  const byEndorser = new Map<number, Map<number, number[]>>();
  for (const pick of picks) {
    const { endorser, choice } = pick;
    if (!standing.has(choice)) continue;
    const byRank = byEndorser.get(endorser) ?? new Map<number, number[]>();
    byEndorser.set(endorser, byRank);
    const place = placeOf(pick);
    const sharing = byRank.get(place);
    if (sharing) sharing.push(choice);
    else byRank.set(place, [choice]);
  }
  return [...byEndorser.values()].map((byRank) =>
    [...byRank].sort(([a], [b]) => a - b).map(([, choices]) => choices),
  );
}

/** The number of endorsers that rank each choice first. Choices without such endorsers are absent. */
export function countFirstChoices(rankings: readonly Ranking[]): Map<number, number> {
  return countChoices(rankings.flatMap(([first = []]) => first));
}

/** The number of times that each choice occurs. */
export function countChoices(choices: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const choice of choices) counts.set(choice, (counts.get(choice) ?? 0) + 1);
  return counts;
}
