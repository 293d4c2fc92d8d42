import type { AnswerChange } from '../../domain/answer-scope.ts';
import { Coalescer } from '../../service/coalescer.ts';
import type { DatabasePool } from '../connection/read-pool.ts';
import { loadAnswerChanges } from './answer-changes.ts';
import type { DataVersions } from './data-versions.ts';

/** The most changes to remember. Two thirds of a kilobyte each. */
const MAX_CHANGES = 5000;
/** The most changes to load at a time. After more, all answers count as altered. */
const MAX_LOADED = 500;

/** The questions to a database. */
export interface DataQuestions {
  loadVersions(): Promise<DataVersions>;
  /** The changes `from` to `to`, both included; null if they are not known. */
  loadChanges(from: number, to: number): Promise<AnswerChange[] | null>;
}

/** The data of a database at a moment. */
export interface DataState {
  versions: DataVersions;
  /** The same text while nothing is lost: the epoch, and how often the database fell back within it. */
  history: string;
  /** The changes after the sequence `after`, up to this moment; null if they are not known. */
  changes(after: number): readonly AnswerChange[] | null;
}

/**
 * Tells how far the data of one database is, and which changes it had since. The changes come from the database too,
 * and not from the feed: the feed is always a few milliseconds behind, and away when Kafka is.
 */
export class DataWatch {
  readonly #questions: DataQuestions;
  readonly #runs = new Coalescer(() => this.#ask());
  #epoch = '';
  #setbacks = 0;
  #catalogue = 0;
  /** The last known change. */
  #through = 0;
  /** The newest changes up to `#through`, without a gap. */
  #changes: AnswerChange[] = [];

  constructor(questions: DataQuestions) {
    this.#questions = questions;
  }

  /** The state of the data after this call. Rejects with the database's error. */
  next(): Promise<DataState> {
    return this.#runs.next();
  }

  async #ask(): Promise<DataState> {
    const versions = await this.#questions.loadVersions();
    await this.#learn(versions);
    return {
      versions,
      history: `${versions.epoch}.${this.#setbacks}`,
      changes: (after) => this.#changesAfter(after, versions),
    };
  }

  async #learn({ epoch, sequence, ...versions }: DataVersions): Promise<void> {
    const catalogue = Number(versions.catalogue);
    const hasLost = sequence < this.#through || catalogue < this.#catalogue;
    if (epoch === this.#epoch && hasLost) this.#setbacks += 1;
    this.#catalogue = catalogue;
    if (epoch === this.#epoch && sequence === this.#through) return;
    const isNext =
      epoch === this.#epoch && sequence > this.#through && sequence - this.#through <= MAX_LOADED;
    const loaded = isNext ? await this.#questions.loadChanges(this.#through + 1, sequence) : null;
    if (loaded === null) this.#changes = [];
    else this.#changes.push(...loaded);
    this.#epoch = epoch;
    this.#through = sequence;
    // Cut in bulk, because cutting at every change is slow.
    if (this.#changes.length > 2 * MAX_CHANGES) this.#changes = this.#changes.slice(-MAX_CHANGES);
  }

  #changesAfter(after: number, { epoch, sequence }: DataVersions): AnswerChange[] | null {
    if (after >= sequence) return [];
    const first = this.#through - this.#changes.length + 1;
    if (epoch !== this.#epoch || after + 1 < first || sequence > this.#through) return null;
    return this.#changes.slice(after + 1 - first, sequence + 1 - first);
  }
}

/** Watches the data of a database through a pool of its own. */
export function watchData(
  pool: DatabasePool,
  loadVersions: (pool: DatabasePool) => Promise<DataVersions>,
): DataWatch {
  return new DataWatch({
    loadVersions: () => loadVersions(pool),
    loadChanges: (from, to) => loadAnswerChanges(pool, from, to),
  });
}
