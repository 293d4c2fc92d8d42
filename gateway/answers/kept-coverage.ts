import { STATE_CODES } from '../../schemas/vocabulary.ts';
import { Coalescer } from '../../service/coalescer.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { loadCoverage } from '../../store/reads/coverage.ts';
import type { DataState } from '../../store/reads/data-watch.ts';

/** Loads the JSON of the coverage of these states, by code. */
type LoadCoverage = (states: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/**
 * The coverage of every state as one database has it. After a change, only the coverage of the states that changed is
 * loaded (INV-1).
 */
export class KeptCoverage {
  readonly #load: LoadCoverage;
  readonly #runs = new Coalescer(() => this.#update());
  readonly #records = new Map<string, string>();
  #history = '';
  #catalogue = -1;
  /** The last change whose state is either loaded or in `#outdated`. */
  #through = -1;
  #outdated = new Set<string>();
  #isLoading = false;

  constructor(load: LoadCoverage) {
    this.#load = load;
  }

  /**
   * The coverage of every state, as items of a JSON list in the order of their codes. Shows this state of the data or a
   * later one. Rejects with the errors of `load`.
   */
  at(state: DataState): Promise<string> {
    this.#learn(state);
    return this.#isLoading || this.#outdated.size > 0 ? this.#runs.next() : Promise.resolve(this.#join());
  }

  /** Notes the states of the country that have changed. */
  #learn(state: DataState): void {
    const { sequence } = state.versions;
    const catalogue = Number(state.versions.catalogue);
    const isNext = state.history === this.#history && catalogue <= this.#catalogue;
    if (isNext && sequence <= this.#through) return;
    const changes = isNext ? state.changes(this.#through) : null;
    const changed = changes ? changes.map(({ facets }) => facets.states) : STATE_CODES;
    for (const code of changed) this.#outdated.add(code);
    this.#history = state.history;
    this.#catalogue = catalogue;
    this.#through = sequence;
  }

  async #update(): Promise<string> {
    const outdated = this.#outdated;
    if (outdated.size === 0) return this.#join();
    this.#outdated = new Set();
    this.#isLoading = true;
    try {
      for (const [code, record] of await this.#load([...outdated])) this.#records.set(code, record);
      return this.#join();
    } catch (error) {
      for (const code of outdated) this.#outdated.add(code);
      throw error;
    } finally {
      this.#isLoading = false;
    }
  }

  #join(): string {
    return STATE_CODES.map((code) => this.#records.get(code)).join(',');
  }
}

/** Coverage with all elections, and with those from today. */
const KINDS = 2;

/** Keeps the coverage of each database for itself: another database can show more or less (INV-1). */
export class CoverageMemory {
  readonly #kept = new WeakMap<DatabasePool, Map<string | undefined, KeptCoverage>>();

  /** @param electionsFrom counts only elections on or after this date, YYYY-MM-DD */
  of(pool: DatabasePool, electionsFrom: string | undefined): KeptCoverage {
    const present = this.#kept.get(pool)?.get(electionsFrom);
    if (present) return present;
    const made = new KeptCoverage((states) => loadCoverage(pool, states, electionsFrom));
    const others = [...(this.#kept.get(pool) ?? [])].slice(1 - KINDS);
    this.#kept.set(pool, new Map([...others, [electionsFrom, made]]));
    return made;
  }
}
