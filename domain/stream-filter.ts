import type { ChangeBody } from '../schemas/change.ts';
import { type ChangeType, FACET_PATHS, type FilterField } from '../schemas/vocabulary.ts';

/** The values of a change for filters, one for each field. */
export type ChangeFacets = { [Field in FilterField]: Field extends 'types' ? ChangeType : string };

/** The values of a change of this type for filters. */
export function facetsOf(type: ChangeType, body: ChangeBody): ChangeFacets {
  const valueAt = (path: readonly string[]) =>
    path.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], body);
  const inBody = Object.entries(FACET_PATHS).map(([field, path]) => [field, valueAt(path)]);
  return { ...Object.fromEntries(inBody), types: type };
}

/** The changes for a client: values by field. An absent field matches every change (specification, "Filter"). */
export type StreamFilter = { readonly [Field in FilterField]?: readonly string[] };

export type ChangePredicate = (facets: ChangeFacets) => boolean;

/** Fields combine with AND, the values of one field with OR; an absent field matches everything. */
export function createPredicate<Field extends FilterField>(
  filter: {
    readonly [Name in Field]?: readonly string[] | undefined;
  },
): (facets: Readonly<Record<Field, string>>) => boolean {
  const conditions = (Object.entries(filter) as [Field, readonly string[] | undefined][]).flatMap(
    ([field, values]) => (values === undefined ? [] : [[field, new Set(values)] as const]),
  );
  return (facets) => conditions.every(([field, values]) => values.has(facets[field]));
}

/** The same text for filters with the same fields and values in any order. */
export function filterKey(filter: StreamFilter): string {
  const fields = Object.entries(filter).map(([field, values]) => [field, [...new Set(values)].sort()]);
  return JSON.stringify(fields.sort());
}
