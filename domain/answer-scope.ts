import { FACET_FIELDS, type FacetField } from '../schemas/vocabulary.ts';
import { type ChangeFacets, createPredicate } from './stream-filter.ts';

/** A change, as far as it decides which answers it alters. */
export interface AnswerChange {
  facets: ChangeFacets;
  contestId: number;
  endorsementId: number;
}

/** Chooses changes. Fields combine with AND, the values of one field with OR; an absent field matches every change. */
type ScopeFilter = { readonly [Field in FacetField]?: readonly string[] | undefined } & {
  contests?: readonly number[] | undefined;
  endorsementIds?: readonly number[] | undefined;
};

/** The changes that can alter an answer: those that match any of these filters. */
export type AnswerScope = readonly ScopeFilter[];

/** The scope of an answer that every change can alter. */
export const EVERY_CHANGE: AnswerScope = [{}];

/** Whether a change can alter answers of a scope. */
export type ScopePredicate = (change: AnswerChange) => boolean;

function createFilterPredicate({ contests, endorsementIds, ...filter }: ScopeFilter): ScopePredicate {
  // A scope can come from parameters that have other fields too.
  const matches = createPredicate<FacetField>(
    Object.fromEntries(FACET_FIELDS.map((field) => [field, filter[field]])),
  );
  return (change) =>
    (contests?.includes(change.contestId) ?? true) &&
    (endorsementIds?.includes(change.endorsementId) ?? true) &&
    matches(change.facets);
}

/** Returns the predicate of a scope. */
export function createScopePredicate(scope: AnswerScope): ScopePredicate {
  const filters = scope.map(createFilterPredicate);
  return (change) => filters.some((matches) => matches(change));
}
