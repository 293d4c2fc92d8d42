import { isDeepStrictEqual } from 'node:util';
import { describeOutcome, describeState } from '../../../administration/webhooks/describe.ts';
import { normalizeText } from '../../../schemas/text.ts';
import { ApiError } from '../../http/api-error.ts';
import { DoneNotice, Moment, Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { FilterFields, loadCategories } from '../filter/filter-fields.ts';
import { describeFilter, readFilter, writeFilter } from '../filter/filter-form.ts';
import { FormId, idempotencyKeyOf } from '../form-id.ts';
import { type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { Form, mayUse } from '../layout.ts';
import { number } from '../number.ts';
import {
  defineForm,
  definePage,
  type PageReply,
  type PageRequest,
  type Refusal,
  type ShownPage,
} from '../page.ts';
import { listSubscriptions } from '../subscriptions/subscription.ts';
import { Secret } from '../webhooks/secret.ts';
import {
  callWebhook,
  readWebhookForm,
  requireWebhook,
  tryCall,
  VERSION_FIELD,
  type Webhook,
  type WebhookWithSecret,
} from '../webhooks/webhook.ts';

const DONE = new Map([['deleted', 'The webhook is deleted. Nothing is sent to it after five seconds.']]);

const moment = (time: string | null) => (time === null ? null : new Date(time));

function Row({ item }: { item: Webhook }): Html {
  const { id, name, url, subscription, filter, last_attempt: last } = item;
  return html`
    <tr class=${item.state === 'active' ? null : 'over'}>
      <th scope="row"><a href=${`/console/webhooks/${id}`}>${name}</a><div class="muted">${url}</div></th>
      <td>${subscription ? `Subscription ${subscription.name}` : describeFilter(filter)}</td>
      <td>${describeState(item)}</td>
      <td class="number">${number.format(item.delivered_events)}</td>
      <td>${last ? html`<${Moment} at=${moment(last.attempted_at)} /> ${describeOutcome(last.outcome)}` : 'none yet'}</td>
    </tr>`;
}

/** The webhooks of the account; null if this service has none. @throws ApiError as the API does */
async function listWebhooks(request: PageRequest, { api }: ConsoleContext): Promise<Webhook[] | null> {
  try {
    return (await api.call<{ data: Webhook[] }>(request, { path: '/v1/webhooks' })).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_available') return null;
    throw error;
  }
}

async function showList(request: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  const found = await listWebhooks(request, context);
  const mayChange = mayUse(request.session.role, 'owner');
  const disabled =
    found?.filter(({ state, reason }) => state === 'disabled' && reason !== 'by_account') ?? [];
  return {
    title: 'Webhooks',
    body: html`
      <${DoneNotice} texts=${DONE} query=${request.query} />
      ${disabled.map(
        (item) => html`
        <${Notice} kind="bad"><a href=${`/console/webhooks/${item.id}`}>${item.name}</a> is ${describeState(item)}. Nothing is sent to it until it is resumed.<//>`,
      )}
      <p>A webhook is an address of yours to which every change is sent, signed and in order, as on the stream.</p>
      ${found === null && html`<p>This service does not deliver to webhooks. Its operators can turn them on.</p>`}
      ${
        found &&
        html`
        <${Table} caption="Webhooks" head=${['Name', 'Changes', 'State', 'Delivered events', 'Last attempt']} numbersFrom=${3} numbersTo=${3} empty="There are none yet.">
          ${found.map((item) => html`<${Row} item=${item} />`)}
        <//>`
      }
      ${found && (mayChange ? html`<p><a class="button" href="/console/webhooks/new">Add a webhook</a></p>` : html`<p>Owners of the account add and change webhooks.</p>`)}`,
  };
}

interface ShownForm {
  /** Null for a new webhook. */
  stored: Webhook | null;
  values: URLSearchParams;
  refusal?: Refusal;
}

async function showForm(
  request: PageRequest,
  context: ConsoleContext,
  { stored, values, refusal }: ShownForm,
): Promise<ShownPage> {
  const categories = await loadCategories(request, context);
  const subscriptions = await listSubscriptions(request, context);
  const chosen = values.get('subscription') ?? '';
  const isGone = chosen !== '' && !subscriptions.some(({ id }) => String(id) === chosen);
  return {
    title: stored === null ? 'New webhook' : `Edit ${isolateName(stored.name)}`,
    ...refusal,
    script: 'filter-pickers',
    body: html`
      <${Form} action=${stored === null ? '/console/webhooks' : `/console/webhooks/${stored.id}/edit`} class="card">
        ${
          stored === null
            ? html`<${FormId} />`
            : html`<input type="hidden" name=${VERSION_FIELD} value=${stored.updated_at} />`
        }
        <label>Name <input name="name" required maxlength="100" value=${values.get('name')} /></label>
        <label>Address <input type="url" name="url" required maxlength="2000" value=${values.get('url')} placeholder="https://hooks.example.org/ballots" />
          <small class="muted">https, at a public host, port 443 or 8443</small></label>
        <label>Changes of <select name="subscription">
          <option value="">the filter below</option>
          ${subscriptions.map(({ id, name }) => html`<option value=${id} selected=${String(id) === chosen}>subscription ${name}</option>`)}
          ${isGone && html`<option value=${chosen} selected>a subscription that does not exist any more</option>`}
        </select></label>
        <${FilterFields} filter=${readFilter(values)} categories=${categories} />
        <button>${stored === null ? 'Add the webhook' : 'Save'}</button> <a href=${stored === null ? '/console/webhooks' : `/console/webhooks/${stored.id}`}>Cancel</a>
      <//>`,
  };
}

/** A webhook's values as its form has them. */
function valuesOf({ name, url, subscription, filter }: Webhook): URLSearchParams {
  const values = subscription
    ? new URLSearchParams({ subscription: String(subscription.id) })
    : writeFilter(filter);
  values.set('name', name);
  values.set('url', url);
  return values;
}

async function add(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { form } = request;
  const idempotencyKey = idempotencyKeyOf(form);
  const call = { method: 'POST', path: '/v1/webhooks', body: readWebhookForm(form), idempotencyKey } as const;
  const tried = await tryCall(context.api.call<{ data: WebhookWithSecret }>(request, call));
  if ('refusal' in tried)
    return showForm(request, context, { stored: null, values: form, refusal: tried.refusal });
  const { data } = tried.answer;
  return { title: 'The webhook is added', script: 'copy', body: html`<${Secret} webhook=${data} />` };
}

async function saveEdit(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { form } = request;
  const body = readWebhookForm(form);
  const unchangedSince = form.get(VERSION_FIELD) ?? undefined;
  const call = { method: 'PUT', path: '/v1/webhooks/{id}', body, unchangedSince } as const;
  const tried = await tryCall(callWebhook(request, context, call));
  const saved = { redirect: `/console/webhooks/${request.path.id}?done=saved` };
  if ('answer' in tried) return saved;
  const stored = await requireWebhook(request, context);
  const { status, problem } = tried.refusal;
  // A form that was sent twice finds what it has saved.
  const sent = { ...body, name: normalizeText(body.name), url: URL.parse(body.url)?.href };
  if (status === 409 && isDeepStrictEqual(readWebhookForm(valuesOf(stored)), sent)) return saved;
  const isChanged = stored.updated_at !== unchangedSince;
  const change = `Somebody has changed the webhook meanwhile: it is ${isolateName(stored.name)}, ${stored.url}. Saving again replaces that.`;
  const refusal = { status, problem: isChanged ? `${problem} ${change}` : problem };
  return showForm(request, context, { stored, values: form, refusal });
}

/** The webhooks of the account: the list, and the forms of their values. */
export const webhookPages = [
  definePage('/console/webhooks', 'member', showList),
  definePage('/console/webhooks/new', 'owner', (request, context) =>
    showForm(request, context, { stored: null, values: request.query }),
  ),
  defineForm('/console/webhooks', 'owner', add),
  definePage('/console/webhooks/{id}/edit', 'owner', async (request, context) => {
    const stored = await requireWebhook(request, context);
    return showForm(request, context, { stored, values: valuesOf(stored) });
  }),
  defineForm('/console/webhooks/{id}/edit', 'owner', saveEdit),
];
