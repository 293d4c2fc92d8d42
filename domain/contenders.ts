import { countChoices, type Pick, placeOf } from './ranking.ts';

/** A choice of a contest. */
export interface ContestChoice {
  id: number;
  withdrawn: boolean;
  /** The candidate's id. Choices with the same candidate are lines of one contender; null for a contender of its own. */
  candidate: number | null;
}

/** The contenders of a contest, each under the id of its first line. */
export interface Contenders {
  /** The contender of each choice. */
  ofChoice: ReadonlyMap<number, number>;
  /** The line to mark for each contender: the one with most backers of its own, then the first in ballot order. */
  lines: ReadonlyMap<number, number>;
  /** An endorser's picks of the lines of a contender as one pick of the contender, with the best rank. */
  picks: readonly Pick[];
}

/**
 * Makes lines of one candidate one contender (INV-16; contract, "Candidates, not lines"): under fusion voting, a ballot
 * has a candidate on the line of each party that nominates them.
 *
 * @param choices in ballot order. Picks of other choices do not count.
 */
export function findContenders(choices: readonly ContestChoice[], picks: readonly Pick[]): Contenders {
  const firstLines = new Map<number, number>();
  const ofChoice = new Map<number, number>();
  const lines = new Map<number, number>();
  const backers = countChoices(picks.map(({ choice }) => choice));
  for (const { id, candidate } of choices) {
    const contender = candidate === null ? id : (firstLines.get(candidate) ?? id);
    if (candidate !== null) firstLines.set(candidate, contender);
    ofChoice.set(id, contender);
    const line = lines.get(contender);
    if (line === undefined || (backers.get(id) ?? 0) > (backers.get(line) ?? 0)) lines.set(contender, id);
  }
  return { ofChoice, lines, picks: joinPicks(picks, ofChoice) };
}

function joinPicks(picks: readonly Pick[], ofChoice: ReadonlyMap<number, number>): Pick[] {
  const joined = new Map<string, Pick>();
  for (const pick of picks) {
    const contender = ofChoice.get(pick.choice);
    if (contender === undefined) continue;
    const key = `${pick.endorser} ${contender}`;
    const other = joined.get(key);
    if (other === undefined || placeOf(pick) < placeOf(other))
      joined.set(key, { ...pick, choice: contender });
  }
  return [...joined.values()];
}
