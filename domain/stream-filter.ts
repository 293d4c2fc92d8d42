import type { ChangeType } from '../schemas/vocabulary.ts';

/** What of a change a filter looks at: one value a field. */
export interface ChangeFacets {
  categories: string;
  endorsers: string;
  endorser_states: string;
  states: string;
  elections: string;
  contest_kinds: string;
  levels: string;
  types: ChangeType;
}

export type FilterField = keyof ChangeFacets;

/** Which changes a reader wants: values by field. An absent field wants every value (specification, "Filter"). */
export type StreamFilter = { readonly [Field in FilterField]?: readonly string[] };

/** A test of changes. */
export type ChangePredicate = (facets: ChangeFacets) => boolean;

/** Fields combine with AND, the values of one field with OR. */
export function createPredicate(filter: StreamFilter): ChangePredicate {
  const conditions = Object.entries(filter).map(
    ([field, values]) => [field as FilterField, new Set<string>(values)] as const,
  );
  return (facets) => conditions.every(([field, values]) => values.has(facets[field]));
}

/** The same text for filters that want the same changes, whatever the order of their fields and values. */
export function nameFilter(filter: StreamFilter): string {
  const fields = Object.entries(filter).map(([field, values]) => [field, [...new Set(values)].sort()]);
  return JSON.stringify(fields.sort());
}
