import { type ChangeFacets, createPredicate, type FilterField, type StreamFilter } from './stream-filter.ts';

/** Fields by how few changes share one of their values: a filter is looked up by the first of these that it names. */
const FIELDS_BY_RARITY: readonly FilterField[] = [
  'endorsers',
  'elections',
  'categories',
  'states',
  'endorser_states',
  'levels',
  'contest_kinds',
  'types',
];

interface Indexed<T> {
  item: T;
  matches: (facets: ChangeFacets) => boolean;
}

/**
 * Finds, of many filters, those that a change passes, without trying them all: a filter lies under each value of the
 * rarest field that it names, and only filters under the change's own values are tried.
 */
export class FilterIndex<T> {
  /** Filters that name no field. */
  readonly #unfiltered = new Set<Indexed<T>>();
  readonly #byField = FIELDS_BY_RARITY.map((field) => ({
    field,
    byValue: new Map<string, Set<Indexed<T>>>(),
  }));

  /** Adds a filter. @returns what takes it out again. */
  add(filter: StreamFilter, item: T): () => void {
    const indexed = { item, matches: createPredicate(filter) };
    const place = this.#byField.find(({ field }) => filter[field] !== undefined);
    if (!place) {
      this.#unfiltered.add(indexed);
      return () => this.#unfiltered.delete(indexed);
    }
    const { field, byValue } = place;
    const values = [...(filter[field] ?? [])];
    for (const value of values) {
      const there = byValue.get(value);
      if (there) there.add(indexed);
      else byValue.set(value, new Set([indexed]));
    }
    return () => {
      for (const value of values) {
        const there = byValue.get(value);
        there?.delete(indexed);
        if (there?.size === 0) byValue.delete(value);
      }
    };
  }

  /** Calls back with the item of each filter that a change passes, each once, in no particular order. */
  forEachMatch(facets: ChangeFacets, callback: (item: T) => void): void {
    for (const { item } of this.#unfiltered) callback(item);
    for (const { field, byValue } of this.#byField) {
      for (const { item, matches } of byValue.get(facets[field]) ?? []) if (matches(facets)) callback(item);
    }
  }
}
