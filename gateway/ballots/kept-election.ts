import { Coalescer } from '../../service/coalescer.ts';
import type { StoredBallotPicks, StoredBallots } from '../../store/reads/ballots.ts';
import type { DataState } from '../../store/reads/data-watch.ts';
import { type ElectionBallot, measureBallot, packBallots, replacePicks } from './election-ballot.ts';

/** After changes in more contests, the whole election is loaded again. */
const MAX_CHANGED = 1000;
/** The approximate memory of an election without contests, in bytes. */
const EMPTY_BYTES = 1000;
/** Lower than every version of the catalogue. */
const NONE = -1;

/** The questions about one election to one database, each answered in one snapshot. */
export interface ElectionQuestions {
  loadBallot(): Promise<StoredBallots>;
  /** All picks of these contests. */
  loadPicks(contests: readonly number[]): Promise<StoredBallotPicks>;
}

/**
 * The ballot of an election as one database has it. It is loaded when it is first asked for and after edits of the
 * catalogue; after other changes, only the picks of the contests that they touched (INV-1).
 */
export class KeptElection {
  readonly #questions: ElectionQuestions;
  readonly #runs = new Coalescer(() => this.#update());
  /** Null if the election has no contests. */
  #ballot: ElectionBallot | null = null;
  #history = '';
  /** The version of the catalogue that the ballot shows; NONE if it must be loaded. */
  #catalogue = NONE;
  /** The newest version of the catalogue that was asked for. */
  #wanted = NONE;
  /** The newest state that was asked for. */
  #newest: DataState | null = null;
  /** The last change that the ballot shows, except for the changed contests. */
  #through = 0;
  /** The contests that changes have touched since their picks were loaded. */
  #changed = new Set<number>();
  /** Those of them whose picks are being loaded. */
  #loading = new Set<number>();

  constructor(questions: ElectionQuestions) {
    this.#questions = questions;
  }

  /** The approximate memory, in bytes. */
  get bytes(): number {
    return this.#ballot ? measureBallot(this.#ballot) : EMPTY_BYTES;
  }

  /** Whether the ballot is loaded and has a contest, as of the state's catalogue or a later one. */
  has(contest: number, state: DataState): boolean {
    return this.#isLoaded(state) && this.#ballot?.contestsById.has(contest) === true;
  }

  /** Returns the ballot if it is in memory and shows the state, or a later one; undefined otherwise. */
  find(state: DataState): ElectionBallot | null | undefined {
    const isLoaded = this.#isLoaded(state);
    if (state.versions.sequence > (this.#newest?.versions.sequence ?? NONE)) this.#newest = state;
    if (!isLoaded) return undefined;
    this.#learn(state);
    const isCurrent = this.#catalogue !== NONE && this.#changed.size + this.#loading.size === 0;
    return isCurrent ? this.#ballot : undefined;
  }

  /** Brings the ballot up to date, and returns it. Rejects with the errors of the questions. */
  load(): Promise<ElectionBallot | null> {
    return this.#runs.next();
  }

  #isLoaded({ history, versions }: DataState): boolean {
    if (history !== this.#history) {
      this.#history = history;
      this.#catalogue = NONE;
      this.#wanted = NONE;
      this.#newest = null;
    }
    const wanted = Number(versions.catalogue);
    this.#wanted = Math.max(this.#wanted, wanted);
    return this.#catalogue >= wanted;
  }

  /** Notes the contests that the changes up to the state touched. */
  #learn(state: DataState): void {
    const { sequence } = state.versions;
    if (sequence <= this.#through) return;
    const changes = state.changes(this.#through);
    if (changes === null) this.#catalogue = NONE;
    for (const { contestId } of changes ?? []) {
      if (this.#ballot?.contestsById.has(contestId)) this.#changed.add(contestId);
    }
    this.#through = sequence;
  }

  async #update(): Promise<ElectionBallot | null> {
    // The load before this one may have begun before the state that a waiting caller asked for.
    if (this.#newest) this.#learn(this.#newest);
    if (this.#catalogue < this.#wanted || this.#changed.size > MAX_CHANGED) return this.#loadAll();
    const ballot = this.#ballot;
    if (!ballot || this.#changed.size === 0) return ballot;
    this.#loading = this.#changed;
    this.#changed = new Set();
    try {
      const stored = await this.#questions.loadPicks([...this.#loading]);
      // An edit of the catalogue may have added choices and endorsers.
      if (Number(stored.versions.catalogue) !== this.#catalogue) return await this.#loadAll();
      await replacePicks(ballot, stored, this.#loading);
    } catch (error) {
      for (const id of this.#loading) this.#changed.add(id);
      throw error;
    } finally {
      this.#loading = new Set();
    }
    return ballot;
  }

  async #loadAll(): Promise<ElectionBallot | null> {
    const history = this.#history;
    const stored = await this.#questions.loadBallot();
    const [ballot = null] = await packBallots(stored);
    this.#ballot = ballot;
    this.#changed.clear();
    this.#through = stored.versions.sequence;
    this.#catalogue = history === this.#history ? Number(stored.versions.catalogue) : NONE;
    return ballot;
  }
}
