import type { StreamFilter } from '../../domain/stream-filter.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import { type SlugField, streamFilters } from '../../schemas/http/parameters.ts';
import type { FilterField } from '../../schemas/vocabulary.ts';
import { resolveSubscription, type StoredSubscription } from '../../store/access/subscriptions.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { findUnknownSlugs, type NamedSlugs } from '../../store/reads/known-slugs.ts';
import { ApiError } from '../http/api-error.ts';

const FIELDS = Object.keys(streamFilters) as FilterField[];
const KINDS: Record<SlugField, string> = {
  categories: 'endorser category',
  endorsers: 'endorser',
  elections: 'election',
};

/** The query parameters that choose a filter. */
type FilterParameters = { readonly [Field in FilterField]?: readonly string[] | undefined } & {
  readonly subscription?: string | undefined;
};

/** The filter of a stream. */
interface ChosenFilter {
  filter: StreamFilter;
  /** The subscription that the filter comes from, or null. */
  subscription: StoredSubscription | null;
}

/**
 * Checks that the slugs of a filter exist. With a mistyped slug, a stream would be silent for ever, and a
 * recommendation would have no endorser.
 *
 * @param names the names of fields in the request, if they differ.
 * @throws ApiError with `code`. Its message names the field and the unknown slug.
 */
export async function requireKnownSlugs(
  filter: NamedSlugs,
  code: ErrorCode,
  pool: DatabasePool,
  names: { readonly [Field in SlugField]?: string } = {},
): Promise<void> {
  const [unknown] = await findUnknownSlugs(pool, filter);
  if (!unknown) return;
  const { field, slug } = unknown;
  throw new ApiError(code, `${names[field] ?? field} has "${slug}", and no ${KINDS[field]} has that slug.`);
}

/** The error for a subscription that the account does not have. */
export function createNoSubscriptionError(idOrName: string): ApiError {
  return new ApiError('subscription_not_found', `The account has no subscription "${idOrName}".`);
}

/** Finds a subscription of the account by id or name. @throws ApiError subscription_not_found */
export async function requireSubscription(
  idOrName: string,
  accountId: number,
  pool: DatabasePool,
): Promise<StoredSubscription> {
  const subscription = await resolveSubscription(pool, accountId, idOrName);
  if (subscription) return subscription;
  throw createNoSubscriptionError(idOrName);
}

/**
 * Reads the filter of a stream from its query parameters, or from the subscription that they name.
 *
 * @throws ApiError invalid_parameter for an unknown slug or a subscription together with filter parameters;
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
