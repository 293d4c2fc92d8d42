/** The parts of an event that the live page shows. */
export interface ShownEvent {
  id: string;
  type: string;
  occurred_at: string;
  endorser: { slug: string; name: string };
  contest: { id: number; title: string };
  election: { state: string };
  choice: { label: string };
}

/** A value, and the number of events that have it. */
export type Count = readonly [value: string, count: number];

/** Counts events by type and by state. */
export class EventCounts {
  total = 0;
  readonly #byType = new Map<string, number>();
  readonly #byState = new Map<string, number>();

  add({ type, election: { state } }: ShownEvent): void {
    this.total += 1;
    this.#byType.set(type, (this.#byType.get(type) ?? 0) + 1);
    this.#byState.set(state, (this.#byState.get(state) ?? 0) + 1);
  }

  byType(): Count[] {
    return ranked(this.#byType);
  }

  /** The states with the most events. All others are added up as "other". */
  byState(most: number): Count[] {
    const counts = ranked(this.#byState);
    if (counts.length <= most) return counts;
    const others = counts.slice(most).reduce((sum, [, count]) => sum + count, 0);
    return [...counts.slice(0, most), ['other', others]];
  }
}

/** The largest count first; equal counts by value. */
function ranked(counts: ReadonlyMap<string, number>): Count[] {
  return [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
}
