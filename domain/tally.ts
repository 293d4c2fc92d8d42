import type { Ranking } from './ranking.ts';

/** A ranking and its place that counts now. */
interface Ballot {
  ranking: Ranking;
  place: number;
}

/**
 * The votes of an instant run-off. Every ranking counts for its best remaining choice, or for several choices
 * that share its first place. When a choice goes out, only the rankings that counted for it are counted
 * again, and they only move to later places. So a run-off of many choices is cheap.
 */
export class Tally {
  /** The votes of each remaining choice. */
  readonly votes = new Map<number, number>();
  /** The number of rankings that still count. */
  rankings: number;
  /** The rankings that count for each remaining choice. */
  readonly #supporters = new Map<number, Ballot[]>();

  /** @param choices the choices in the run-off; rankings may have others. */
  constructor(rankings: readonly Ranking[], choices: Iterable<number>) {
    for (const choice of choices) {
      this.votes.set(choice, 0);
      this.#supporters.set(choice, []);
    }
    this.rankings = rankings.length;
    for (const ranking of rankings) this.#count({ ranking, place: 0 });
  }

  takeOut(choice: number): void {
    const ballots = this.#supporters.get(choice) ?? [];
    this.votes.delete(choice);
    this.#supporters.delete(choice);
    for (const ballot of ballots) {
      const sharing = ballot.ranking[ballot.place] ?? [];
      if (!sharing.some((other) => this.votes.has(other))) this.#count(ballot);
    }
  }

  /** Moves a ballot to the first place with a remaining choice, and counts it there. */
  #count(ballot: Ballot): void {
    for (; ballot.place < ballot.ranking.length; ballot.place += 1) {
      const best = (ballot.ranking[ballot.place] ?? []).filter((choice) => this.votes.has(choice));
      for (const choice of best) {
        this.votes.set(choice, (this.votes.get(choice) ?? 0) + 1);
        this.#supporters.get(choice)?.push(ballot);
      }
      if (best.length > 0) return;
    }
    this.rankings -= 1;
  }
}
