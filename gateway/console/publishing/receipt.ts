import type { Static } from 'typebox';
import type { publication } from '../../../schemas/http/submissions.ts';
import { ApiError } from '../../http/api-error.ts';
import { Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { HistoryLink } from '../history-link.ts';
import { type Content, type Html, html } from '../html.ts';
import type { PageRequest, ShownPage } from '../page.ts';

export type Outcome = Static<typeof publication>['submissions'][number];

/** The longest wait of the page for the outcome, in seconds. */
const WAIT_SECONDS = 5;

const STATES = {
  submitted: 'on its way',
  applied: 'on the stream',
  unchanged: 'nothing to change',
  rejected: 'rejected',
} as const;

function OutcomeRow({ item }: { item: Outcome }): Html {
  return html`
    <tr class=${item.status === 'rejected' ? 'over' : null}>
      <th scope="row">${item.endorser}</th>
      <td>${item.contest}</td>
      <td>${STATES[item.status]}</td>
      <td class="event">${item.reason?.message}${item.events?.map((event) => html`<div><code>${event}</code></div>`)}</td>
      <td><${HistoryLink} endorser=${item.endorser} contest=${item.contest} of=${`${item.endorser}, ${item.contest}`} /></td>
    </tr>`;
}

function describe(outcomes: readonly Outcome[]): Html {
  const has = (status: Outcome['status']) => outcomes.some((each) => each.status === status);
  if (has('rejected'))
    return html`<${Notice} kind="bad">The service has rejected it, and nothing changes.<//>`;
  if (has('submitted')) return html`<${Notice} kind="good">It is stored safely and on its way.<//>`;
  return html`<${Notice} kind="good">It is done: readers and the stream have it.<//>`;
}

/**
 * The outcomes of a publication after a wait of seconds at most, or the reason why the service cannot tell them now.
 *
 * @throws ApiError if the account has no such publication
 */
export async function loadOutcomes(
  request: PageRequest,
  { api }: ConsoleContext,
  id: number,
  waitSeconds = WAIT_SECONDS,
): Promise<Outcome[] | string> {
  try {
    const { data } = await api.call<{ data: Static<typeof publication> }>(request, {
      path: '/v1/submissions/{id}',
      parameters: { id: String(id) },
      query: new URLSearchParams({ wait: String(waitSeconds) }),
    });
    return data.submissions;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 429 || error.status === 503)) return error.message;
    throw error;
  }
}

/** The receipt of a publication: what became of each submission. */
export async function showReceipt(
  request: PageRequest,
  context: ConsoleContext,
  { id, children }: { id: number; children?: Content },
): Promise<ShownPage> {
  const outcomes = await loadOutcomes(request, context, id);
  const address = `/console/endorsements/receipts/${id}`;
  const isKnown = typeof outcomes !== 'string';
  const isOnItsWay = !isKnown || outcomes.some(({ status }) => status === 'submitted');
  return {
    title: `Receipt ${id}`,
    // What stands below the receipt of a form is not on the page of its address.
    ...(isKnown && isOnItsWay && !children && { script: 'look-again' }),
    body: html`
      ${
        isKnown
          ? html`
        ${describe(outcomes)}
        <${Table} caption="Submissions" head=${['Endorser', 'Contest', 'State', 'Events', 'History']}>
          ${outcomes.map((item) => html`<${OutcomeRow} item=${item} />`)}
        <//>`
          : html`<${Notice} kind="good">It is stored safely. Its outcome cannot be shown yet: ${outcomes}<//>`
      }
      ${isOnItsWay && html`<p><a class="button" href=${address}>Look again</a></p>`}
      <p><a href=${address}>Address of this receipt</a> · <a href=${`/console/api/v1/submissions/${id}`}>As JSON</a></p>
      ${children}`,
  };
}
