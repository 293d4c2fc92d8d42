import type { Place } from '../../kafka/writing/submissions-producer.ts';
import type { OffsetRange } from '../../store/stream/change-submissions.ts';

/** The offsets of the sent submissions, for counting them within ranges. */
export class SentOffsets {
  readonly #ranges: OffsetRange[] = [];
  /** The newest range of each partition, which the next one often continues. */
  readonly #last = new Map<number, OffsetRange>();

  add(sent: readonly Place[]): void {
    for (const { partition, offset } of sent) {
      const last = this.#last.get(partition);
      if (last?.to === offset) {
        last.to = offset + 1;
        continue;
      }
      const range = { partition, from: offset, to: offset + 1 };
      this.#ranges.push(range);
      this.#last.set(partition, range);
    }
  }

  get ranges(): readonly OffsetRange[] {
    return this.#ranges;
  }

  get count(): number {
    return this.#ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** @param applied the offset up to which submissions are applied, by partition */
  countApplied(applied: ReadonlyMap<number, number>): number {
    return this.#ranges.reduce((sum, range) => {
      const upto = Math.min(applied.get(range.partition) ?? 0, range.to);
      return sum + Math.max(0, upto - range.from);
    }, 0);
  }

  /** The number of sent offsets from `first` to `last` of a partition, both included. */
  countBetween(partition: number, first: number, last: number): number {
    return this.#ranges
      .filter((range) => range.partition === partition)
      .reduce((sum, { from, to }) => sum + Math.max(0, Math.min(last + 1, to) - Math.max(first, from)), 0);
  }
}
