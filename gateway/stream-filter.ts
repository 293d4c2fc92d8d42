import type { FilterField, StreamFilter } from '../domain/stream-filter.ts';
import { streamFilters } from '../schemas/http/parameters.ts';
import { findUnknownSlugs } from '../store/known-slugs.ts';
import type { DatabasePool } from '../store/pool.ts';
import { ApiError } from './api-error.ts';

const FIELDS = Object.keys(streamFilters) as FilterField[];
const KINDS = { categories: 'endorser category', endorsers: 'endorser', elections: 'election' };

/** Query parameters, the filter fields among them. */
export type FilterParameters = { readonly [Field in FilterField]?: readonly string[] | undefined };

/**
 * The filter out of a stream's query parameters.
 *
 * @throws ApiError invalid_parameter for a slug that nobody has: on a stream a typo would be silence for ever.
 */
export async function readStreamFilter(query: FilterParameters, pool: DatabasePool): Promise<StreamFilter> {
  const filter: { [Field in FilterField]?: readonly string[] } = {};
  for (const field of FIELDS) {
    const values = query[field];
    if (values !== undefined) filter[field] = values;
  }
  const { categories = [], endorsers = [], elections = [] } = filter;
  if (categories.length + endorsers.length + elections.length === 0) return filter;
  const [unknown] = await findUnknownSlugs(pool, { categories, endorsers, elections });
  if (unknown) {
    const { field, slug } = unknown;
    throw new ApiError('invalid_parameter', `${field} has "${slug}", and no ${KINDS[field]} has that slug.`);
  }
  return filter;
}
