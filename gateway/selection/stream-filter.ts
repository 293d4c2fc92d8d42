import type { FilterField, StreamFilter } from '../../domain/stream-filter.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import { streamFilters } from '../../schemas/http/parameters.ts';
import { resolveSubscription, type StoredSubscription } from '../../store/access/subscriptions.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { findUnknownSlugs } from '../../store/reads/known-slugs.ts';
import { ApiError } from '../http/api-error.ts';

const FIELDS = Object.keys(streamFilters) as FilterField[];
const KINDS = { categories: 'endorser category', endorsers: 'endorser', elections: 'election' };

/** Query parameters, the filter fields among them. */
type FilterParameters = { readonly [Field in FilterField]?: readonly string[] | undefined } & {
  readonly subscription?: string | undefined;
};

/** What a stream is to deliver, and the subscription that says so where one does. */
interface ChosenFilter {
  filter: StreamFilter;
  subscription: StoredSubscription | null;
}

/**
 * Holds the slugs of a filter to those that there are: on a stream a typo would be silence for ever.
 *
 * @throws ApiError of the code given, naming the field and the slug that nobody has.
 */
export async function requireKnownSlugs(
  filter: StreamFilter,
  code: ErrorCode,
  pool: DatabasePool,
): Promise<void> {
  const { categories = [], endorsers = [], elections = [] } = filter;
  if (categories.length + endorsers.length + elections.length === 0) return;
  const [unknown] = await findUnknownSlugs(pool, { categories, endorsers, elections });
  if (!unknown) return;
  const { field, slug } = unknown;
  throw new ApiError(code, `${field} has "${slug}", and no ${KINDS[field]} has that slug.`);
}

/**
 * The account's subscription of this id or name.
 *
 * @throws ApiError subscription_not_found.
 */
export async function requireSubscription(
  idOrName: string,
  accountId: number,
  pool: DatabasePool,
): Promise<StoredSubscription> {
  const subscription = await resolveSubscription(pool, accountId, idOrName);
  if (subscription) return subscription;
  throw new ApiError('subscription_not_found', `The account has no subscription "${idOrName}".`);
}

/**
 * The filter out of a stream's query parameters, or out of the subscription that they name.
 *
 * @throws ApiError invalid_parameter for a slug that nobody has, or a subscription beside filter parameters;
 *   subscription_not_found.
 */
export async function readStreamFilter(
  query: FilterParameters,
  accountId: number,
  pool: DatabasePool,
): Promise<ChosenFilter> {
  const filter: { [Field in FilterField]?: readonly string[] } = {};
  for (const field of FIELDS) {
    const values = query[field];
    if (values !== undefined) filter[field] = values;
  }
  if (query.subscription === undefined) {
    await requireKnownSlugs(filter, 'invalid_parameter', pool);
    return { filter, subscription: null };
  }
  const [given] = Object.keys(filter);
  if (given !== undefined) {
    const message = `subscription and ${given} exclude each other; the subscription has the filter.`;
    throw new ApiError('invalid_parameter', message);
  }
  const subscription = await requireSubscription(query.subscription, accountId, pool);
  return { filter: subscription.filter, subscription };
}
