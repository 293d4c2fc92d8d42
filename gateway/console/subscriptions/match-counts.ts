import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { FilterIndex } from '../../../domain/filter-index.ts';
import { nameFilter, type StreamFilter } from '../../../domain/stream-filter.ts';
import type { Clock } from '../../../service/clock.ts';
import { findChangesSince, readFacets } from '../../../store/stream/recent-changes.ts';

const DAY_MS = 24 * 60 * 60_000;
/** The most changes that one count looks at; they take about two seconds. */
const MOST_CHANGES = 200_000;
/** So few that parsing their rows holds up no other request. */
const BATCH = 500;
/** How long a count is good enough, in milliseconds. */
const KEPT_MS = 60_000;
const MOST_KEPT = 5000;

/** How many of the last day's changes pass a filter. */
export interface MatchCount {
  count: number;
  /** Whether only the newest changes of the day were looked at, so that there may be more. */
  isLeast: boolean;
}

export interface MatchCountsOptions {
  pool: Pool;
  clock: Clock;
  /** The most changes that one count looks at. */
  mostChanges?: number;
}

/**
 * Counts how many of the last day's changes pass filters, from the change log. All filters are counted in one pass, and
 * one pass runs at a time; it never holds more than a batch of changes. A count is kept for a minute, whichever account
 * asked for it, since it depends on the filter alone.
 */
export class MatchCounts {
  readonly #options: Required<MatchCountsOptions>;
  /** By the filter's name. */
  readonly #kept = new LRUCache<string, MatchCount & { at: number }>({ max: MOST_KEPT });
  /** The pass that runs, after those before it. */
  #pass: Promise<unknown> = Promise.resolve();

  constructor(options: MatchCountsOptions) {
    this.#options = { mostChanges: MOST_CHANGES, ...options };
  }

  /**
   * Counts the matches of each filter, in their order.
   *
   * @param closed ends the pass when nobody waits for it any more
   * @throws errors of the database
   */
  async count(filters: readonly StreamFilter[], closed: AbortSignal): Promise<MatchCount[]> {
    const pass = this.#pass.then(() => this.#countMissing(filters, closed));
    // The next pass does not care how this one ends.
    this.#pass = pass.catch(() => {});
    await pass;
    return filters.map((filter) => this.#find(filter) ?? { count: 0, isLeast: true });
  }

  #find(filter: StreamFilter): MatchCount | undefined {
    const kept = this.#kept.get(nameFilter(filter));
    return kept && this.#options.clock.now() - kept.at < KEPT_MS ? kept : undefined;
  }

  async #countMissing(filters: readonly StreamFilter[], closed: AbortSignal): Promise<void> {
    const missing = filters.filter((filter) => !this.#find(filter));
    if (missing.length === 0 || closed.aborted) return;
    const { pool, clock, mostChanges } = this.#options;
    const at = clock.now();
    const since = new Date(at - DAY_MS);
    const range = await findChangesSince(pool, since);
    const byName = new Map(missing.map((filter) => [nameFilter(filter), filter]));
    const counts = new Map([...byName.keys()].map((name) => [name, 0]));
    const index = new FilterIndex<string>();
    for (const [name, filter] of byName) index.add(filter, name);
    const note = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
    const oldest = range ? Math.max(range.first, range.last - mostChanges + 1) : 0;
    for (let last = range?.last ?? -1; last >= oldest; last -= BATCH) {
      if (closed.aborted) return;
      const batch = { first: Math.max(oldest, last - BATCH + 1), last };
      for (const facets of await readFacets(pool, batch, since)) index.forEachMatch(facets, note);
      await setImmediate();
    }
    const isLeast = range !== null && oldest > range.first;
    for (const [name, count] of counts) this.#kept.set(name, { count, isLeast, at });
  }
}
