import { setImmediate } from 'node:timers/promises';
import type { DataVersions } from '../../store/reads/data-versions.ts';

/**
 * Looks up the current versions of the data. A look-up is shared only by callers that asked before it began: a later
 * caller may have seen an event that the look-up has not (INV-1), so it waits for the next one. One look-up runs at a
 * time, however many callers there are.
 */
export class DataVersion {
  readonly #load: () => Promise<DataVersions>;
  /** The look-up that has not begun yet. */
  #next: Promise<DataVersions> | undefined;
  /** Settles when the running look-up ends. Never rejects. */
  #running: Promise<unknown> = Promise.resolve();

  /** @param load must settle soon: the next look-up and all of its callers wait for it. */
  constructor(load: () => Promise<DataVersions>) {
    this.#load = load;
  }

  /** Returns the current versions. Rejects with the database's error. */
  current(): Promise<DataVersions> {
    this.#next ??= this.#begin();
    return this.#next;
  }

  async #begin(): Promise<DataVersions> {
    // All callers in the same turn of the event loop share the look-up.
    await Promise.all([this.#running, setImmediate()]);
    this.#next = undefined;
    const versions = this.#load();
    // Its callers get the error; the next look-up only waits for the end of this one.
    this.#running = versions.catch(() => {});
    return versions;
  }
}
