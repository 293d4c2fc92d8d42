import { describeOutcome, describeState } from '../../../administration/webhooks/describe.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { disableWebhook, type ListedAttempt, listAttempts } from '../../../store/webhooks/control.ts';
import { ApiError } from '../../http/api-error.ts';
import { actorOf } from '../actor.ts';
import { DoneNotice, Moment, Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { describeFilter } from '../filter/filter-form.ts';
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
import { readRowId } from '../row-id.ts';
import { Secret } from '../webhooks/secret.ts';
import {
  callWebhook,
  requireWebhook,
  tryCall,
  type Webhook,
  type WebhookWithSecret,
} from '../webhooks/webhook.ts';

const ON_PAGE = 50;

const DONE = new Map([
  ['saved', 'The webhook is saved. Deliveries follow it within five seconds.'],
  ['tested', 'The test message was sent. Its attempt is the newest below.'],
  ['resumed', 'The webhook is active. The next message follows at once.'],
  ['disabled', 'The webhook is disabled. Its position stays.'],
]);

function AttemptRow({ item }: { item: ListedAttempt }): Html {
  const { messageId, isTest, status, answer, outcome } = item;
  return html`
    <tr class=${outcome === 'delivered' ? null : 'over'}>
      <td><${Moment} at=${item.attemptedAt} /></td>
      <td>${describeOutcome(outcome)}${status !== null && ` (${status})`}</td>
      <td class="number">${isTest ? 'test' : number.format(item.events)}</td>
      <td class="number">${number.format(item.durationMs)}</td>
      <td class="number">${number.format(item.bytes)}</td>
      <td><details><summary>Open attempt ${item.number}</summary>
        <p>webhook-id <code>${messageId}</code></p>
        ${answer === '' ? html`<p>The answer was empty.</p>` : html`<pre tabindex="0" aria-label=${`The beginning of the answer to attempt ${item.number}`}><code>${answer}</code></pre>`}
      </details></td>
    </tr>`;
}

/** The forms of an owner, without scripts. */
function Actions({ item }: { item: Webhook }): Html {
  const place = `/console/webhooks/${item.id}`;
  const isDisabled = item.state === 'disabled';
  return html`
    <div class="actions">
      <${Form} action=${`${place}/test`}><button>Send a test message</button><//>
      ${item.state === 'failing' && html`<${Form} action=${`${place}/resume`}><button>Retry now</button><//>`}
      <a href=${`${place}/edit`}>Edit</a>
      <a href=${`${place}/rotate`}>Rotate the secret</a>
      ${!isDisabled && html`<${Form} action=${`${place}/disable`}><button class="plain">Disable</button><//>`}
      <a class="danger" href=${`${place}/delete`}>Delete</a>
    </div>
    ${
      isDisabled &&
      html`
      <${Form} action=${`${place}/resume`} class="card">
        <h2>Resume</h2>
        <label class="check"><input type="radio" name="from" value="position" checked /> where it stood: nothing is missed</label>
        <label class="check"><input type="radio" name="from" value="latest" /> at the newest change: what happened meanwhile is not sent</label>
        <button>Resume</button>
      <//>`
    }`;
}

async function showWebhook(
  request: PageRequest,
  context: ConsoleContext,
  refusal: Refusal | null = null,
): Promise<ShownPage> {
  const item = await requireWebhook(request, context);
  const before = readRowId(request.query.get('before'));
  const attempts = await listAttempts(context.pool, item.id, { before, limit: ON_PAGE });
  const oldest = attempts.length === ON_PAGE ? attempts.at(-1) : undefined;
  const moment = (time: string | null) => html`<${Moment} at=${time === null ? null : new Date(time)} />`;
  return {
    title: item.name,
    ...refusal,
    body: html`
      <${DoneNotice} texts=${DONE} query=${request.query} />
      ${item.state !== 'active' && html`<${Notice} kind="bad">This webhook is ${describeState(item)}.<//>`}
      <dl class="entered">
        <div><dt>Address</dt><dd>${item.url}</dd></div>
        <div><dt>Changes</dt><dd>${item.subscription ? html`<a href=${`/console/subscriptions/${item.subscription.id}`}>Subscription ${item.subscription.name}</a>` : describeFilter(item.filter)}</dd></div>
        <div><dt>State</dt><dd>${item.state}</dd></div>
        ${item.failing_since !== null && html`<div><dt>Failing since</dt><dd>${moment(item.failing_since)}</dd></div>`}
        ${item.next_attempt_at !== null && html`<div><dt>Next attempt</dt><dd>${moment(item.next_attempt_at)}</dd></div>`}
        <div><dt>Delivered events</dt><dd>${number.format(item.delivered_events)}</dd></div>
        <div><dt>Delivered messages</dt><dd>${number.format(item.delivered_batches)}</dd></div>
        <div><dt>Position</dt><dd><code>${item.cursor}</code></dd></div>
      </dl>
      ${mayUse(request.session.role, 'owner') && html`<${Actions} item=${item} />`}
      <h2>Attempts</h2>
      <${Table} caption="Attempts of the last seven days, the newest first" head=${['Time', 'Outcome', 'Events', 'Milliseconds', 'Bytes', 'Answer']} numbersFrom=${2} numbersTo=${4} empty=${before === null ? 'There are none yet.' : 'There are no older attempts.'}>
        ${attempts.map((attempt) => html`<${AttemptRow} item=${attempt} />`)}
      <//>
      ${oldest && html`<p><a class="button" href=${`/console/webhooks/${item.id}?before=${oldest.number}`}>Older attempts</a></p>`}`,
  };
}

/** Sends a form to an endpoint of the webhook, and shows the webhook again. */
async function act(
  request: PageRequest,
  context: ConsoleContext,
  { path, body, done }: { path: string; body?: unknown; done: string },
): Promise<PageReply> {
  const call = { method: 'POST', path, ...(body !== undefined && { body }) } as const;
  const tried = await tryCall(callWebhook(request, context, call));
  if ('refusal' in tried) return showWebhook(request, context, tried.refusal);
  return { redirect: `/console/webhooks/${request.path.id}?done=${done}` };
}

async function resume(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const from = request.form.get('from');
  const isDisabled = (await requireWebhook(request, context)).state === 'disabled';
  const refuse = (problem: string) => showWebhook(request, context, { status: 409, problem });
  // "Retry now" was shown while the webhook was failing, and "Resume" while it was disabled. Neither may undo what somebody
  // has decided since.
  if (from === null && isDisabled) {
    return refuse('The webhook was disabled since this page was opened, so it was not tried again.');
  }
  if (from === 'latest' && !isDisabled) {
    return refuse('The webhook was resumed since this page was opened, so no change is left out.');
  }
  const body = { from: from ?? 'position' };
  return act(request, context, { path: '/v1/webhooks/{id}/resume', body, done: 'resumed' });
}

async function sendTest(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  try {
    return await act(request, context, { path: '/v1/webhooks/{id}/test', done: 'tested' });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_available') throw error;
    return showWebhook(request, context, { status: 503, problem: error.message });
  }
}

async function rotate(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const idempotencyKey = idempotencyKeyOf(request.form);
  const call = { method: 'POST', path: '/v1/webhooks/{id}/secret', idempotencyKey } as const;
  const tried = await tryCall(callWebhook<{ data: WebhookWithSecret }>(request, context, call));
  if ('refusal' in tried) return showWebhook(request, context, tried.refusal);
  const { data } = tried.answer;
  return { title: 'The new secret', script: 'copy', body: html`<${Secret} webhook=${data} />` };
}

/** One webhook: its state, its attempts, and what its owners do to it. */
export const oneWebhookPages = [
  definePage('/console/webhooks/{id}', 'member', showWebhook),
  defineForm('/console/webhooks/{id}/test', 'owner', sendTest, { awaitsReceiver: true }),
  defineForm('/console/webhooks/{id}/resume', 'owner', resume),
  defineForm('/console/webhooks/{id}/disable', 'owner', async (request, context) => {
    const { id } = await requireWebhook(request, context);
    const { session } = request;
    await inTransaction(context.pool, (client) =>
      disableWebhook(client, { id, accountId: session.accountId }, actorOf(session)),
    );
    return { redirect: `/console/webhooks/${id}?done=disabled` };
  }),
  definePage('/console/webhooks/{id}/rotate', 'owner', async (request, context) => {
    const { id, name } = await requireWebhook(request, context);
    return {
      title: `Rotate the secret of ${isolateName(name)}?`,
      body: html`
        <p>The new secret is shown once. For 24 hours messages carry signatures of both, so that your receiver can change over. A secret that was replaced before that no longer signs.</p>
        <${Form} action=${`/console/webhooks/${id}/rotate`}>
          <${FormId} />
          <button>Make a new secret</button> <a href=${`/console/webhooks/${id}`}>Keep the present one</a>
        <//>`,
    };
  }),
  defineForm('/console/webhooks/{id}/rotate', 'owner', rotate),
  definePage('/console/webhooks/{id}/delete', 'owner', async (request, context) => {
    const { id, name, url } = await requireWebhook(request, context);
    return {
      title: `Delete ${isolateName(name)}?`,
      body: html`
        <p>Nothing is sent to ${url} after five seconds, and the attempts and the position are forgotten. This cannot be undone.</p>
        <${Form} action=${`/console/webhooks/${id}/delete`}>
          <button class="danger">Delete the webhook</button> <a href=${`/console/webhooks/${id}`}>Keep it</a>
        <//>`,
    };
  }),
  defineForm('/console/webhooks/{id}/delete', 'owner', async (request, context) => {
    await callWebhook(request, context, { method: 'DELETE', path: '/v1/webhooks/{id}' });
    return { redirect: '/console/webhooks?done=deleted' };
  }),
];
