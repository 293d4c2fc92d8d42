import type { Rejection } from '../../schemas/submission.ts';

/** The most rejections to keep for naming them. */
const MAX_NAMED = 50;

const compare = (a: Rejection, b: Rejection) => a.partition - b.partition || a.offset - b.offset;

/** Counts rejections, and keeps the first of them, so that a large file of bad lines takes little memory. */
export class RejectionTally {
  readonly #origins = new Set<string>();
  readonly #byCode = new Map<string, number>();
  #first: Rejection[] = [];

  /** Counts a rejection. @returns false if one with its origin was counted before */
  add(rejection: Rejection): boolean {
    const origin = `${rejection.partition}/${rejection.offset}`;
    if (this.#origins.has(origin)) return false;
    this.#origins.add(origin);
    this.#byCode.set(rejection.code, (this.#byCode.get(rejection.code) ?? 0) + 1);
    const last = this.#first[MAX_NAMED - 1];
    if (last === undefined || compare(rejection, last) < 0) {
      this.#first = [...this.#first, rejection].sort(compare).slice(0, MAX_NAMED);
    }
    return true;
  }

  get count(): number {
    return this.#origins.size;
  }

  /** The first rejections, by partition and offset. */
  get first(): readonly Rejection[] {
    return this.#first;
  }

  /** The number of rejections by code, the most frequent first. */
  get byCode(): [string, number][] {
    return [...this.#byCode].sort(([, a], [, b]) => b - a);
  }
}
