import type { StreamFilter } from '../../../domain/stream-filter.ts';
import { reportFailure } from '../../../service/report-failure.ts';
import { CopyText, DoneNotice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { FilterFields, loadCategories } from '../filter/filter-fields.ts';
import { describeFilter, readFilter, writeFilter } from '../filter/filter-form.ts';
import { type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { Form } from '../layout.ts';
import { defineForm, definePage, type PageReply, type PageRequest, type ShownPage } from '../page.ts';
import type { MatchCount } from '../subscriptions/match-counts.ts';
import {
  listSubscriptions,
  type RefusedForm,
  requireSubscription,
  type Subscription,
  saveSubscription,
  VERSION_FIELD,
} from '../subscriptions/subscription.ts';

const DONE = new Map([
  ['saved', 'The subscription is saved. Streams that follow it use its new filter within seconds.'],
  ['deleted', 'The subscription is deleted. Streams that followed it end.'],
]);

/** The longest wait of a page for counts. On days with many changes they take longer, and the page shows them later. */
const COUNTING_MS = 500;

/** The count of each filter; undefined while it is being counted. A failed count does not fail the page. */
async function countMatches(
  filters: readonly StreamFilter[],
  closed: AbortSignal,
  { matchCounts, clock, log }: ConsoleContext,
): Promise<(MatchCount | undefined)[]> {
  const counting = matchCounts.count(filters).catch((error: unknown) => {
    const message = 'the matches of subscriptions cannot be counted; trying again when they are asked for';
    reportFailure(log, error, { where: 'console', message });
  });
  await Promise.race([counting, clock.wait(COUNTING_MS, closed)]);
  return filters.map((filter) => matchCounts.find(filter));
}

/** A number of events. While it is unknown, the page's script asks again. */
function CountCell({ id, count }: { id: number; count: MatchCount | undefined }): Html {
  if (!count) return html`<td class="number muted" data-count=${id} data-counting>counting</td>`;
  return html`<td class="number" data-count=${id}>${count.isLeast && 'at least '}${count.count.toLocaleString('en')}</td>`;
}

function Row(props: { item: Subscription; count: MatchCount | undefined; publicUrl: string }): Html {
  const { item, count, publicUrl } = props;
  const { id, name, filter } = item;
  const curl = `curl -N -H 'Authorization: Bearer YOUR_KEY' '${publicUrl}/v1/stream?subscription=${id}'`;
  return html`
    <tr>
      <th scope="row">${name} <small class="muted">id ${id}</small></th>
      <td>${describeFilter(filter)}
        <details><summary>Follow it with curl</summary><${CopyText} label=${`Follow ${name} with curl`} text=${curl} /></details></td>
      <${CountCell} id=${id} count=${count} />
      <td><div class="actions">
        <a href=${`/console/live?subscription=${id}`} aria-label=${`Watch live: ${name}`}>Watch live</a>
        <a href=${`/console/subscriptions/${id}`} aria-label=${`Edit ${name}`}>Edit</a>
        <a class="danger" href=${`/console/subscriptions/${id}/delete`} aria-label=${`Delete ${name}`}>Delete</a>
      </div></td>
    </tr>`;
}

async function showList(request: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  const { query, publicUrl, closed } = request;
  const found = await listSubscriptions(request, context);
  const filters = found.map(({ filter }) => filter);
  const counts = await countMatches(filters, closed, context);
  return {
    title: 'Subscriptions',
    script: 'subscriptions',
    body: html`
      <${DoneNotice} texts=${DONE} query=${query} />
      <p>A subscription is a filter that the account keeps. Requests name it by its id or its name in place of the filter.</p>
      <${Table} caption="Saved filters" head=${['Name', 'Filter', 'Events of the last day', 'Actions']} numbersFrom=${2} numbersTo=${2} empty="There are none yet.">
        ${found.map((item, index) => html`<${Row} item=${item} count=${counts[index]} publicUrl=${publicUrl} />`)}
      <//>
      ${
        found.length > 0 &&
        html`
        <p class="muted">The number of events is up to a minute old.
          ${counts.includes(undefined) && html`<noscript><a href="/console/subscriptions">Show the numbers that are being counted</a></noscript>`}</p>`
      }
      <p><a class="button" href="/console/subscriptions/new">Make a subscription</a></p>`,
  };
}

/** The subscription that somebody else has stored, beside a form with other values. */
function Stored({ item: { id, name, filter } }: { item: Subscription }): Html {
  return html`
    <section class="card">
      <h2>Stored now</h2>
      <dl class="entered">
        <div><dt>Name</dt><dd>${name}</dd></div>
        <div><dt>Filter</dt><dd>${describeFilter(filter, Number.POSITIVE_INFINITY)}</dd></div>
      </dl>
      <p>The form below has what you entered. “Save anyway” replaces what is stored. <a href=${`/console/subscriptions/${id}`}>Edit what is stored</a></p>
    </section>`;
}

interface ShownForm {
  /** Null for a new subscription. */
  id: string | null;
  /** The stored name. */
  name: string;
  /** The form's values. */
  values: URLSearchParams;
  refused?: RefusedForm;
}

/** The form of a new or an existing subscription. */
async function showForm(
  request: PageRequest,
  context: ConsoleContext,
  { id, name, values, refused }: ShownForm,
): Promise<ShownPage> {
  const categories = await loadCategories(request, context);
  const stored = refused?.stored;
  const version = stored?.updated_at ?? values.get(VERSION_FIELD);
  return {
    title: id === null ? 'New subscription' : `Edit ${isolateName(name)}`,
    ...(refused && { problem: refused.problem, status: statusOf(refused) }),
    script: 'filter-pickers',
    body: html`
      ${stored && html`<${Stored} item=${stored} />`}
      <${Form} action=${id === null ? '/console/subscriptions' : `/console/subscriptions/${id}`} class="card">
        ${id !== null && version !== null && html`<input type="hidden" name=${VERSION_FIELD} value=${version} />`}
        <label>Name <input name="name" required maxlength="100" value=${values.get('name')} /></label>
        <${FilterFields} filter=${readFilter(values)} categories=${categories} />
        <button>${stored ? 'Save anyway' : 'Save'}</button> <a href="/console/subscriptions">Cancel</a>
      <//>`,
  };
}

function statusOf({ stored }: RefusedForm): number {
  if (stored === undefined) return 400;
  return stored === null ? 404 : 409;
}

/** Saves a new or an existing subscription, or shows the form again. */
async function save(request: PageRequest, context: ConsoleContext, id: string | null): Promise<PageReply> {
  const refused = await saveSubscription(request, context, id);
  if (refused === null) return { redirect: '/console/subscriptions?done=saved' };
  const values = request.form;
  if (id === null || refused.stored === null) {
    return showForm(request, context, { id: null, name: '', values, refused });
  }
  const { name } = refused.stored ?? (await requireSubscription(request, context, id));
  return showForm(request, context, { id, name, values, refused });
}

/** A subscription's values as its form has them. */
function valuesOf({ name, filter, updated_at }: Subscription): URLSearchParams {
  const values = writeFilter(filter);
  values.set('name', name);
  values.set(VERSION_FIELD, updated_at);
  return values;
}

/** The saved filters of the account. */
export const subscriptionPages = [
  definePage('/console/subscriptions', 'member', showList),
  definePage('/console/subscriptions/new', 'member', (request, context) =>
    showForm(request, context, { id: null, name: '', values: request.query }),
  ),
  defineForm('/console/subscriptions', 'member', (request, context) => save(request, context, null)),
  definePage('/console/subscriptions/{id}', 'member', async (request, context) => {
    const found = await requireSubscription(request, context, request.path.id ?? '');
    return showForm(request, context, { id: String(found.id), name: found.name, values: valuesOf(found) });
  }),
  defineForm('/console/subscriptions/{id}', 'member', (request, context) =>
    save(request, context, request.path.id ?? ''),
  ),
  definePage('/console/subscriptions/{id}/delete', 'member', async (request, context) => {
    const { id, name, filter } = await requireSubscription(request, context, request.path.id ?? '');
    return {
      title: `Delete ${isolateName(name)}?`,
      body: html`
        <p>${describeFilter(filter)}</p>
        <p>Streams that follow it end, and requests that name it are refused. This cannot be undone.</p>
        <${Form} action=${`/console/subscriptions/${id}/delete`}>
          <button class="danger">Delete the subscription</button> <a href="/console/subscriptions">Keep it</a>
        <//>`,
    };
  }),
  defineForm('/console/subscriptions/{id}/delete', 'member', async (request, context) => {
    const { id } = await requireSubscription(request, context, request.path.id ?? '');
    const parameters = { id: String(id) };
    await context.api.call(request, { method: 'DELETE', path: '/v1/subscriptions/{id}', parameters });
    return { redirect: '/console/subscriptions?done=deleted' };
  }),
];
