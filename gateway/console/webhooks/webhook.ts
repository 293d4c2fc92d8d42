import type { Static } from 'typebox';
import type { webhook, webhookWithSecret } from '../../../schemas/http/webhooks.ts';
import { ApiError } from '../../http/api-error.ts';
import type { ApiCall } from '../api-calls.ts';
import type { ConsoleContext } from '../context.ts';
import { readFilter } from '../filter/filter-form.ts';
import type { PageRequest, Refusal } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readRowId } from '../row-id.ts';

/** A webhook as the API shows it. */
export type Webhook = Static<typeof webhook>;
export type WebhookWithSecret = Static<typeof webhookWithSecret>;

/** The hidden field of a form with the `updated_at` of the shown webhook. */
export const VERSION_FIELD = 'version';

/** Calls an endpoint of one webhook. @throws PageError 404 if the account has no such webhook; ApiError as the API does */
export async function callWebhook<Body>(
  request: PageRequest,
  { api }: ConsoleContext,
  call: Omit<ApiCall, 'parameters'>,
): Promise<Body> {
  const id = readRowId(request.path.id);
  const missing = new PageError(404, 'The account has no such webhook.');
  if (id === null) throw missing;
  try {
    return await api.call<Body>(request, { ...call, parameters: { id: String(id) } });
  } catch (error) {
    throw error instanceof ApiError && error.code === 'not_found' ? missing : error;
  }
}

/** The webhook that the address names. @throws as `callWebhook` */
export async function requireWebhook(request: PageRequest, context: ConsoleContext): Promise<Webhook> {
  const path = '/v1/webhooks/{id}';
  return (await callWebhook<{ data: Webhook }>(request, context, { path })).data;
}

/** The body of the API from a form: a subscription's filter, or one of the webhook's own. */
export function readWebhookForm(form: URLSearchParams) {
  const subscription = form.get('subscription') ?? '';
  return {
    name: form.get('name') ?? '',
    url: (form.get('url') ?? '').trim(),
    ...(subscription === ''
      ? { filter: readFilter(form) }
      : { subscription: Number(subscription) || subscription }),
  };
}

/** Runs a call for a form. @returns the answer, or the refusal that its page shows. @throws other errors */
export async function tryCall<T>(work: Promise<T>): Promise<{ answer: T } | { refusal: Refusal }> {
  try {
    return { answer: await work };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 404) throw error;
    return { refusal: { status: error.status, problem: error.message } };
  }
}
