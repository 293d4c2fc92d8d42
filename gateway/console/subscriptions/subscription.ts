import type { StreamFilter } from '../../../domain/stream-filter.ts';
import { ApiError } from '../../http/api-error.ts';
import type { ConsoleContext } from '../context.ts';
import { readFilter } from '../filter/filter-form.ts';
import type { PageRequest } from '../page.ts';
import { PageError } from '../page-error.ts';

/** A subscription as the API shows it. */
export interface Subscription {
  id: number;
  name: string;
  filter: StreamFilter;
}

/** Every subscription of the account. @throws ApiError as the API does */
export async function listSubscriptions(
  request: PageRequest,
  { api }: ConsoleContext,
): Promise<Subscription[]> {
  const { data } = (await api.call(request, { path: '/v1/subscriptions' })) as { data: Subscription[] };
  return data;
}

/** @throws PageError 404 if the account has no subscription of this id; ApiError as the API does */
export async function requireSubscription(
  request: PageRequest,
  { api }: ConsoleContext,
  id: string,
): Promise<Subscription> {
  const missing = new PageError(404, 'The account has no such subscription.');
  if (!/^[1-9][0-9]{0,14}$/.test(id)) throw missing;
  const parameters = { id };
  try {
    const answer = await api.call(request, { path: '/v1/subscriptions/{id}', parameters });
    return (answer as { data: Subscription }).data;
  } catch (error) {
    throw error instanceof ApiError && error.code === 'subscription_not_found' ? missing : error;
  }
}

/**
 * Sends the values of a form to the API: to make a subscription, or to replace the values of one.
 *
 * @returns the sentence for which the API refuses them; null if it saved them
 * @throws ApiError that is not about the values
 */
export async function saveSubscription(
  request: PageRequest,
  { api }: ConsoleContext,
  id: string | null,
): Promise<string | null> {
  const { form } = request;
  const body = { name: (form.get('name') ?? '').trim(), filter: readFilter(form) };
  const call =
    id === null
      ? ({ method: 'POST', path: '/v1/subscriptions', body } as const)
      : ({ method: 'PUT', path: '/v1/subscriptions/{id}', parameters: { id }, body } as const);
  try {
    await api.call(request, call);
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 404) return error.message;
    throw error;
  }
}
