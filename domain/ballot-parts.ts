import { FACET_FIELDS, FACET_PATHS, type FacetField, type FieldOf } from '../schemas/vocabulary.ts';
import { createPredicate } from './stream-filter.ts';

type Part = (typeof FACET_PATHS)[FacetField][0];

/** The values of a part of a ballot for filters, one for each field. */
type PartFacets<Of extends Part> = Readonly<Record<FieldOf<Of>, string>>;

/**
 * Whether an endorser, an election or a contest passes a filter's fields of this part. Fields combine with AND, the
 * values of one field with OR; an absent field matches every part, and fields of other parts are passed over.
 */
export function createPartPredicate<const Of extends Part>(
  part: Of,
  filters: { readonly [Field in FacetField]?: readonly string[] | undefined },
): (facets: PartFacets<Of>) => boolean {
  const fields = FACET_FIELDS.filter((field) => FACET_PATHS[field][0] === part) as FieldOf<Of>[];
  return createPredicate<FieldOf<Of>>(Object.fromEntries(fields.map((field) => [field, filters[field]])));
}
