import { Coalescer } from '../../service/coalescer.ts';

/** The most webhooks of a statement. Their batches take some megabytes. */
const MAX_GROUP = 32;

interface Pending<Item> extends PromiseWithResolvers<boolean> {
  item: Item;
}

/** Writes about many webhooks in few statements: writes that come while a statement runs share the next one. */
export class GroupedWrites<Item extends { id: number }> {
  readonly #write: (items: readonly Item[]) => Promise<Set<number>>;
  #pending: Pending<Item>[] = [];
  readonly #runs = new Coalescer(() => this.#run());

  /** @param write writes items of different webhooks, and returns the ids of the webhooks that took them */
  constructor(write: (items: readonly Item[]) => Promise<Set<number>>) {
    this.#write = write;
  }

  /** Writes an item. @returns whether its webhook took it. Rejects with the error of the statement. */
  add(item: Item): Promise<boolean> {
    const answer = Promise.withResolvers<boolean>();
    this.#pending.push({ item, ...answer });
    // Every error goes to the items.
    void this.#runs.next();
    return answer.promise;
  }

  async #run(): Promise<void> {
    while (this.#pending.length > 0) {
      const group = this.#takeGroup();
      try {
        const written = await this.#write(group.map(({ item }) => item));
        for (const { item, resolve } of group) resolve(written.has(item.id));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
  }

  /** Takes the next items, one for each webhook. */
  #takeGroup(): Pending<Item>[] {
    const group = new Map<number, Pending<Item>>();
    const rest: Pending<Item>[] = [];
    for (const pending of this.#pending) {
      if (group.size < MAX_GROUP && !group.has(pending.item.id)) group.set(pending.item.id, pending);
      else rest.push(pending);
    }
    this.#pending = rest;
    return [...group.values()];
  }
}
