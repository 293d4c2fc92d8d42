/** An endorser's pick of a choice, by their ids. An endorser picks a choice once at most. */
export interface Pick {
  endorser: number;
  choice: number;
  rank: number | null;
}

/** One endorser's choices, those ranked alike together, best first; none of these groups is empty. */
export type Ranking = readonly (readonly number[])[];

/** What a pick without a rank counts as: a first choice. */
const UNRANKED = 1;

/**
 * The ranking of each endorser (specification, "Position"). Only the order of ranks counts: one who ranks a choice
 * second and none first has that choice first, as a ballot with a skipped rank is counted. Several picks without a rank
 * are all first choices, beside the one that is ranked first.
 */
export function readRankings(picks: readonly Pick[]): Ranking[] {
  const byEndorser = new Map<number, Map<number, number[]>>();
  for (const { endorser, choice, rank } of picks) {
    const byRank = byEndorser.get(endorser) ?? new Map<number, number[]>();
    byEndorser.set(endorser, byRank);
    const place = rank ?? UNRANKED;
    const sharing = byRank.get(place);
    if (sharing) sharing.push(choice);
    else byRank.set(place, [choice]);
  }
  return [...byEndorser.values()].map((byRank) =>
    [...byRank].sort(([a], [b]) => a - b).map(([, choices]) => choices),
  );
}

/** The rankings as they are once some choices cannot be had; whoever ranked no other is left out. */
export function restrictRankings(
  rankings: readonly Ranking[],
  isKept: (choice: number) => boolean,
): Ranking[] {
  return rankings
    .map((ranking) => ranking.map((group) => group.filter(isKept)).filter((group) => group.length > 0))
    .filter((ranking) => ranking.length > 0);
}

/** How many endorsers have each choice first of those that are kept; a choice that nobody has first is absent. */
export function countFirstChoices(
  rankings: readonly Ranking[],
  isKept: (choice: number) => boolean = () => true,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (const ranking of rankings) {
    const first = ranking.find((group) => group.some(isKept)) ?? [];
    for (const choice of first) if (isKept(choice)) counts.set(choice, (counts.get(choice) ?? 0) + 1);
  }
  return counts;
}

/** How many endorsers have each choice anywhere. */
export function countMentions(rankings: readonly Ranking[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const choice of rankings.flat(2)) counts.set(choice, (counts.get(choice) ?? 0) + 1);
  return counts;
}
