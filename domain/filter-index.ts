import { FILTER_FIELDS } from '../schemas/vocabulary.ts';
import {
  type ChangeFacets,
  type ChangePredicate,
  createPredicate,
  type StreamFilter,
} from './stream-filter.ts';

interface Indexed<T> {
  item: T;
  /** Whether a change passes the filter's other fields. */
  matches: ChangePredicate;
}

/**
 * Finds the filters that a change passes without trying them all. A filter is stored under each value of its
 * rarest field, and a change tries only the filters under its own values.
 */
export class FilterIndex<T> {
  /** Filters without a known field. Those with fields of a newer version only match no change. */
  readonly #others = new Set<Indexed<T>>();
  /** The rarest field first. */
  readonly #byField = FILTER_FIELDS.map((field) => ({
    field,
    byValue: new Map<string, Set<Indexed<T>>>(),
  }));

  /** Adds a filter. @returns a function that removes the filter. */
  add(filter: StreamFilter, item: T): () => void {
    const rarest = this.#byField.find(({ field }) => filter[field] !== undefined);
    if (!rarest) {
      const other = { item, matches: createPredicate(filter) };
      this.#others.add(other);
      return () => this.#others.delete(other);
    }
    const { field, byValue } = rarest;
    const { [field]: values = [], ...rest } = filter;
    const indexed = { item, matches: createPredicate(rest) };
    for (const value of values) {
      const stored = byValue.get(value);
      if (stored) stored.add(indexed);
      else byValue.set(value, new Set([indexed]));
    }
    return () => {
      for (const value of values) {
        const stored = byValue.get(value);
        stored?.delete(indexed);
        if (stored?.size === 0) byValue.delete(value);
      }
    };
  }

  /** Calls back once with the item of each filter that a change passes, in any order. */
  forEachMatch(facets: ChangeFacets, callback: (item: T) => void): void {
    for (const { item, matches } of this.#others) if (matches(facets)) callback(item);
    for (const { field, byValue } of this.#byField) {
      for (const { item, matches } of byValue.get(facets[field]) ?? []) if (matches(facets)) callback(item);
    }
  }
}
