import { Coalescer } from '../../service/coalescer.ts';
import type { ListedElection, loadElections } from '../../store/reads/ballots.ts';
import type { DataState } from '../../store/reads/data-watch.ts';

/** The list of all elections of one database, loaded again after each edit of the catalogue. */
export class ElectionList {
  readonly #runs: Coalescer<readonly ListedElection[]>;
  #elections: readonly ListedElection[] = [];
  #history = '';
  /** The version of the catalogue that the list shows; null if it must be loaded. */
  #catalogue: number | null = null;

  constructor(load: () => ReturnType<typeof loadElections>) {
    this.#runs = new Coalescer(async () => {
      const history = this.#history;
      const { versions, elections } = await load();
      this.#elections = elections;
      this.#catalogue = history === this.#history ? Number(versions.catalogue) : null;
      return elections;
    });
  }

  /** The elections by date and slug as the state has them, or a later one. Rejects with the errors of the database. */
  at({ history, versions }: DataState): Promise<readonly ListedElection[]> {
    if (history !== this.#history) {
      this.#history = history;
      this.#catalogue = null;
    }
    const isCurrent = this.#catalogue !== null && this.#catalogue >= Number(versions.catalogue);
    return isCurrent ? Promise.resolve(this.#elections) : this.#runs.next();
  }
}
