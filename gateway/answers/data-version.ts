import { setImmediate } from 'node:timers/promises';
import type { DataVersions } from '../../store/reads/data-versions.ts';

/**
 * Which versions the data is in now. A look-up is shared by all who asked before it began, and by nobody else: who asks
 * while one is under way may have seen an event that it has not (INV-1), and waits for the next. So however many ask,
 * there is one look-up at a time.
 */
export class DataVersion {
  readonly #load: () => Promise<DataVersions>;
  /** The look-up that has not begun. */
  #next: Promise<DataVersions> | undefined;
  /** The end of the one that has, however it ends. */
  #underWay: Promise<unknown> = Promise.resolve();

  /** @param load ends soon, however it ends: the next look-up waits for it, and all who ask for that one. */
  constructor(load: () => Promise<DataVersions>) {
    this.#load = load;
  }

  /** Rejects as the store does. */
  current(): Promise<DataVersions> {
    this.#next ??= this.#begin();
    return this.#next;
  }

  async #begin(): Promise<DataVersions> {
    // Whatever else came in the same turn of the event loop shares it.
    await Promise.all([this.#underWay, setImmediate()]);
    this.#next = undefined;
    const versions = this.#load();
    this.#underWay = versions.catch(() => {});
    return versions;
  }
}
