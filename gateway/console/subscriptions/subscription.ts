import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import type { subscription } from '../../../schemas/http/subscriptions.ts';
import { normalizeText } from '../../../schemas/text.ts';
import { ApiError } from '../../http/api-error.ts';
import type { ApiCall } from '../api-calls.ts';
import type { ConsoleContext } from '../context.ts';
import { readFilter } from '../filter/filter-form.ts';
import type { PageRequest } from '../page.ts';
import { PageError } from '../page-error.ts';

/** A subscription as the API shows it. */
export type Subscription = Static<typeof subscription>;

/** The hidden field with the `updated_at` of the subscription that the page has shown. */
export const VERSION_FIELD = 'version';

/** A refused form. */
export interface RefusedForm {
  /** The reason, in a sentence. */
  problem: string;
  /** The subscription that somebody else has stored meanwhile; null if they deleted it; absent for another reason. */
  stored?: Subscription | null;
}

/** Every subscription of the account. @throws ApiError as the API does */
export async function listSubscriptions(
  request: PageRequest,
  { api }: ConsoleContext,
): Promise<Subscription[]> {
  return (await api.call<{ data: Subscription[] }>(request, { path: '/v1/subscriptions' })).data;
}

function createMissingError(): PageError {
  return new PageError(404, 'The account has no such subscription.');
}

/** @throws PageError 404 if no subscription could have this id */
function requireId(id: string): void {
  if (!/^[1-9][0-9]{0,14}$/.test(id)) throw createMissingError();
}

/** @throws PageError 404 if the account has no subscription of this id; ApiError as the API does */
export async function requireSubscription(
  request: PageRequest,
  { api }: ConsoleContext,
  id: string,
): Promise<Subscription> {
  requireId(id);
  const call = { path: '/v1/subscriptions/{id}', parameters: { id } };
  try {
    return (await api.call<{ data: Subscription }>(request, call)).data;
  } catch (error) {
    throw error instanceof ApiError && error.code === 'subscription_not_found' ? createMissingError() : error;
  }
}

/** Says that a subscription has changed since its form was made. */
async function describeChange(
  request: PageRequest,
  context: ConsoleContext,
  id: string,
): Promise<RefusedForm | null> {
  const seen = request.form.get(VERSION_FIELD);
  const stored = await requireSubscription(request, context, id).catch((error: unknown) => {
    if (error instanceof PageError && seen !== null) return null;
    throw error;
  });
  if (stored === null) {
    return { problem: 'The subscription has been deleted in the meantime. “Save” creates it again.', stored };
  }
  if (seen === null || stored.updated_at === seen) return null;
  return { problem: 'The subscription has been changed in the meantime, so it is not saved.', stored };
}

/** Whether the values of a form are stored already, as they are if it was sent twice. */
async function isSaved(
  request: PageRequest,
  context: ConsoleContext,
  idOfForm: string | null,
  values: Pick<Subscription, 'name' | 'filter'>,
): Promise<boolean> {
  const saved = { ...values, name: normalizeText(values.name) };
  const stored = await listSubscriptions(request, context);
  return stored.some(
    ({ id, name, filter }) =>
      (idOfForm === null || String(id) === idOfForm) && isDeepStrictEqual({ name, filter }, saved),
  );
}

/**
 * Saves a form's values through the API, as a new subscription or in place of an existing one. An existing one must
 * still be as the form's page has shown it.
 *
 * @returns the reason for a refusal; null if the values are saved
 * @throws ApiError that is not about the values; PageError 404 if the account has no such subscription
 */
export async function saveSubscription(
  request: PageRequest,
  context: ConsoleContext,
  id: string | null,
): Promise<RefusedForm | null> {
  if (id !== null) requireId(id);
  const { form } = request;
  const body = { name: form.get('name') ?? '', filter: readFilter(form) };
  const unchangedSince = form.get(VERSION_FIELD) ?? undefined;
  const call: ApiCall =
    id === null
      ? { method: 'POST', path: '/v1/subscriptions', body }
      : { method: 'PUT', path: '/v1/subscriptions/{id}', parameters: { id }, body, unchangedSince };
  try {
    await context.api.call(request, call);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const isConflict = error.code === 'conflict';
    if (isConflict && (await isSaved(request, context, id, body))) return null;
    const isOther = id !== null && (error.status === 404 || isConflict);
    const change = isOther ? await describeChange(request, context, id) : null;
    if (change) return change;
    if (error.status === 404) throw error;
    return { problem: error.message };
  }
}
