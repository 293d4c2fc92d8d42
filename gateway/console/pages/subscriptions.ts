import type { StreamFilter } from '../../../domain/stream-filter.ts';
import { reportFailure } from '../../../service/report-failure.ts';
import { CopyText, DoneNotice, Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { FilterFields, loadCategories } from '../filter/filter-fields.ts';
import { describeFilter, readFilter, writeFilter } from '../filter/filter-form.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import type { Page, PageRequest, ShownPage } from '../page.ts';
import type { MatchCount } from '../subscriptions/match-counts.ts';
import {
  listSubscriptions,
  requireSubscription,
  type Subscription,
  saveSubscription,
} from '../subscriptions/subscription.ts';

const DONE = new Map([
  ['saved', 'The subscription is saved. Streams that follow it use its new filter within seconds.'],
  ['deleted', 'The subscription is deleted. Streams that followed it end.'],
]);

/** How long a page waits for counts. They take longer on days with many changes, and are then shown afterwards. */
const COUNTING_MS = 500;

/** The count of each filter; undefined for those that are still being counted. Counts never keep a page from being shown. */
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

/** A number of events, which the page's script asks for again while it is unknown. */
function CountCell({ id, count }: { id: number; count: MatchCount | undefined }): Html {
  if (!count) return html`<td class="number muted" data-count=${id} data-counting>counting</td>`;
  return html`<td class="number" data-count=${id}>${count.isLeast && 'at least '}${count.count.toLocaleString('en')}</td>`;
}

function Row({
  item,
  count,
  publicUrl,
}: {
  item: Subscription;
  count: MatchCount | undefined;
  publicUrl: string;
}): Html {
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
      ${
        found.length === 0
          ? html`<p>There are none yet.</p>`
          : html`
        <${Table} caption="Saved filters" head=${['Name', 'Filter', 'Events of the last day', 'Actions']}>
          ${found.map((item, index) => html`<${Row} item=${item} count=${counts[index]} publicUrl=${publicUrl} />`)}
        <//>
        <p class="muted">The number of events is up to a minute old.
          ${counts.includes(undefined) && html`<noscript><a href="/console/subscriptions">Show the numbers that are being counted</a></noscript>`}</p>`
      }
      <p><a class="button" href="/console/subscriptions/new">Make a subscription</a></p>`,
  };
}

/** The form of a new subscription, or of one that exists. `values` are those to show. */
async function showForm(
  request: PageRequest,
  context: ConsoleContext,
  {
    id,
    name,
    values,
    problem,
  }: { id: string | null; name: string; values: URLSearchParams; problem?: string },
): Promise<ShownPage> {
  const categories = await loadCategories(request, context);
  return {
    title: id === null ? 'New subscription' : `Edit ${name}`,
    status: problem === undefined ? 200 : 400,
    script: 'filter-pickers',
    body: html`
      ${problem !== undefined && html`<${Notice} kind="bad">${problem}<//>`}
      <${Form} action=${id === null ? '/console/subscriptions' : `/console/subscriptions/${id}`} csrf=${request.csrf} class="card">
        <label>Name <input name="name" required maxlength="100" value=${values.get('name')} /></label>
        <${FilterFields} filter=${readFilter(values)} categories=${categories} />
        <button>Save</button> <a href="/console/subscriptions">Cancel</a>
      <//>`,
  };
}

/** The values of a subscription as its form has them. */
function valuesOf({ name, filter }: Subscription): URLSearchParams {
  const values = writeFilter(filter);
  values.set('name', name);
  return values;
}

/** The saved filters of the account. */
export const subscriptionPages: readonly Page[] = [
  { method: 'GET', path: '/console/subscriptions', role: 'member', handle: showList },
  {
    method: 'GET',
    path: '/console/subscriptions/new',
    role: 'member',
    handle: (request, context) => showForm(request, context, { id: null, name: '', values: request.query }),
  },
  {
    method: 'POST',
    path: '/console/subscriptions',
    role: 'member',
    async handle(request, context) {
      const problem = await saveSubscription(request, context, null);
      if (problem === null) return { redirect: '/console/subscriptions?done=saved' };
      return showForm(request, context, { id: null, name: '', values: request.form, problem });
    },
  },
  {
    method: 'GET',
    path: '/console/subscriptions/{id}',
    role: 'member',
    async handle(request, context) {
      const found = await requireSubscription(request, context, request.path.id ?? '');
      return showForm(request, context, { id: String(found.id), name: found.name, values: valuesOf(found) });
    },
  },
  {
    method: 'POST',
    path: '/console/subscriptions/{id}',
    role: 'member',
    async handle(request, context) {
      const { id, name } = await requireSubscription(request, context, request.path.id ?? '');
      const problem = await saveSubscription(request, context, String(id));
      if (problem === null) return { redirect: '/console/subscriptions?done=saved' };
      return showForm(request, context, { id: String(id), name, values: request.form, problem });
    },
  },
  {
    method: 'GET',
    path: '/console/subscriptions/{id}/delete',
    role: 'member',
    async handle(request, context) {
      const { id, name, filter } = await requireSubscription(request, context, request.path.id ?? '');
      return {
        title: `Delete ${name}?`,
        body: html`
          <p>${describeFilter(filter)}</p>
          <p>Streams that follow it end, and requests that name it are refused. This cannot be undone.</p>
          <${Form} action=${`/console/subscriptions/${id}/delete`} csrf=${request.csrf}>
            <button class="danger">Delete the subscription</button> <a href="/console/subscriptions">Keep it</a>
          <//>`,
      };
    },
  },
  {
    method: 'POST',
    path: '/console/subscriptions/{id}/delete',
    role: 'member',
    async handle(request, context) {
      const { id } = await requireSubscription(request, context, request.path.id ?? '');
      const parameters = { id: String(id) };
      await context.api.call(request, { method: 'DELETE', path: '/v1/subscriptions/{id}', parameters });
      return { redirect: '/console/subscriptions?done=deleted' };
    },
  },
];
