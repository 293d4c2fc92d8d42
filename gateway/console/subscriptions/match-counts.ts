import { setImmediate } from 'node:timers/promises';
import type { Pool } from 'pg';
import { FilterIndex } from '../../../domain/filter-index.ts';
import { filterKey, type StreamFilter } from '../../../domain/stream-filter.ts';
import type { Clock } from '../../../service/clock.ts';
import { Coalescer } from '../../../service/coalescer.ts';
import { createLruCache } from '../../../service/lru-cache.ts';
import { findChangesSince, readFacets } from '../../../store/stream/recent-changes.ts';

const DAY_MS = 24 * 60 * 60_000;
/** The most changes in one count, which takes about two seconds. */
const MOST_CHANGES = 200_000;
/** Few enough that parsing their rows delays no other request. */
const BATCH = 500;
/** How long a count stays valid, in milliseconds. */
const KEPT_MS = 60_000;
const MOST_KEPT = 5000;

/** The number of the last day's changes that match a filter. */
export interface MatchCount {
  count: number;
  /** Whether only the newest changes of the day were read, so that the true number may be higher. */
  isLeast: boolean;
}

export interface MatchCountsOptions {
  pool: Pool;
  clock: Clock;
  /** The most changes in one count. */
  mostChanges?: number;
}

/**
 * Counts the changes of the last day that match filters, from the change log. One pass runs at a time, for all filters
 * that were asked for before it began. So the number of open pages does not add load to the database. A pass holds one
 * batch of changes at a time. All accounts share a filter's count, which is kept for a minute.
 */
export class MatchCounts {
  readonly #options: Required<MatchCountsOptions>;
  /** By the filter's name. */
  readonly #kept = createLruCache<string, MatchCount & { at: number }>(MOST_KEPT);
  /** The filters of the next pass, by name. */
  readonly #asked = new Map<string, StreamFilter>();
  readonly #passes = new Coalescer(() => this.#passAsked());

  constructor(options: MatchCountsOptions) {
    this.#options = { mostChanges: MOST_CHANGES, ...options };
  }

  /** The count of a filter if it is less than a minute old. */
  find(filter: StreamFilter): MatchCount | undefined {
    const kept = this.#kept.get(filterKey(filter));
    return kept && this.#options.clock.now() - kept.at < KEPT_MS ? kept : undefined;
  }

  /** Counts the matches of unknown filters. Afterwards `find` returns them. @throws errors of the database */
  async count(filters: readonly StreamFilter[]): Promise<void> {
    const missing = filters.filter((filter) => !this.find(filter));
    for (const filter of missing) this.#asked.set(filterKey(filter), filter);
    if (missing.length > 0) await this.#passes.next();
  }

  async #passAsked(): Promise<void> {
    // The pass before may have counted some of them.
    const missing = [...this.#asked].filter(([, filter]) => !this.find(filter));
    this.#asked.clear();
    if (missing.length > 0) await this.#pass(missing);
  }

  async #pass(filters: readonly (readonly [name: string, StreamFilter])[]): Promise<void> {
    const { pool, clock, mostChanges } = this.#options;
    const at = clock.now();
    const since = new Date(at - DAY_MS);
    const index = new FilterIndex<string>();
    for (const [name, filter] of filters) index.add(filter, name);
    const counts = new Map(filters.map(([name]) => [name, 0]));
    const note = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
    const range = await findChangesSince(pool, since);
    const oldest = range ? Math.max(range.first, range.last - mostChanges + 1) : 0;
    for (let last = range?.last ?? -1; last >= oldest; last -= BATCH) {
      const batch = { first: Math.max(oldest, last - BATCH + 1), last };
      for (const facets of await readFacets(pool, batch, since)) index.forEachMatch(facets, note);
      await setImmediate();
    }
    const isLeast = range !== null && oldest > range.first;
    for (const [name, count] of counts) this.#kept.set(name, { count, isLeast, at });
  }
}
