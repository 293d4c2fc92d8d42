import { readSubmission } from '../../../administration/rejections/describe.ts';
import { findMended } from '../../../administration/rejections/find-mended.ts';
import { findSuperseded } from '../../../administration/rejections/find-superseded.ts';
import { findNamed, nameOf, originOf } from '../../../administration/rejections/name.ts';
import { loadRecentRejections } from '../../../administration/rejections/recent.ts';
import { retryChosen, retryNew } from '../../../administration/rejections/retry.ts';
import { showRejection } from '../../../administration/rejections/show.ts';
import { shorten } from '../../../schemas/problems.ts';
import type { Rejection } from '../../../schemas/submission.ts';
import { OperatorError } from '../../../service/operator-error.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { actorOf } from '../actor.ts';
import { Moment, Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import { number } from '../number.ts';
import type { Page, PageRequest, ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';

/** The most rejections of a partition that the pages read, the newest first; fewer if they are large. */
const NEWEST = 50;

/** The longest reason in the list, in characters. */
const MAX_REASON = 300;

/** The offsets before which a page reads, by partition, in an address: `0-120,1-88`. */
function readBefore(query: URLSearchParams): ReadonlyMap<number, number> | null {
  const text = query.get('before') ?? '';
  if (!/^\d{1,6}-\d{1,15}(,\d{1,6}-\d{1,15})*$/.test(text)) return null;
  return new Map(text.split(',').map((part) => part.split('-').map(Number) as [number, number]));
}

function formatBefore(before: ReadonlyMap<number, number>): string {
  return `?before=${[...before].map(([partition, offset]) => `${partition}-${offset}`).join(',')}`;
}

const placeOf = (rejection: Rejection): string => `/console/operator/rejected/${nameOf(rejection)}`;

/** A rejection in full. */
function WholeRejection({ item, csrf }: { item: Rejection; csrf: string }): Html {
  const canRetry = readSubmission(item) !== null && !item.truncated;
  return html`
    <pre tabindex="0" aria-label="The rejection"><code>${showRejection(item).join('\n')}</code></pre>
    ${
      canRetry
        ? html`<${Form} action=${`${placeOf(item)}/retry`} csrf=${csrf}><button>Retry</button><//>`
        : html`<p>It cannot be sent again: its producer must send it.</p>`
    }`;
}

function RejectionRow(props: {
  item: Rejection;
  /** Why nothing more is to be done; null otherwise. */
  end: string | null;
  csrf: string;
  /** The query of the page, with which the page of a rejection finds it. */
  search: string;
}): Html {
  const { item, end, csrf, search } = props;
  const submission = readSubmission(item);
  const place = placeOf(item);
  return html`
    <tr class=${end && 'over'}>
      <td><${Moment} at=${new Date(item.rejected_at)} /></td>
      <td>${submission ? `${submission.endorser}, ${submission.contest}` : html`<span class="muted">cannot be read</span>`}</td>
      <td><code>${item.code}</code> ${shorten(item.message, MAX_REASON)}</td>
      <td><a href=${place + search}>${originOf(item)}</a></td>
      <td class="actions">
        ${end && html`<small>${end}</small>`}
        ${
          submission &&
          !item.truncated &&
          end === null &&
          html`<${Form} action=${`${place}/retry`} csrf=${csrf}><button class="plain" aria-label=${`Retry ${originOf(item)}`}>Retry</button><//>`
        }
      </td>
    </tr>`;
}

async function showRejected({ query, csrf }: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  const { pool } = context;
  const shown = readBefore(query);
  const search = shown ? formatBefore(shown) : '';
  const { rejections, strangers, before } = await loadRecentRejections(context, NEWEST, shown);
  const mended = await findMended(pool, rejections);
  const superseded = findSuperseded(rejections);
  const endOf = (item: Rejection) => {
    if (mended.has(item)) return 'changed since';
    return superseded.has(item) ? 'sent again since' : null;
  };
  const sent = query.get('sent');
  return {
    title: 'Rejected submissions',
    body: html`
      ${sent && /^\d{1,9}$/.test(sent) && html`<${Notice} kind="good">Sent again: ${number.format(Number(sent))}. Those that are still wrong will be rejected again.<//>`}
      ${
        rejections.length === 0
          ? html`<p>${shown ? 'No older rejected submissions.' : 'No rejected submissions in the last 30 days.'}</p>`
          : html`
        <${Form} action="/console/operator/rejected/retry" csrf=${csrf}>
          <button>Retry everything rejected since the last retry</button>
          <p class="muted">A submission whose endorser has changed its position since is left out, and of equal ones all but the last.</p>
        <//>
        <${Table} caption="Newest first" head=${['Rejected', 'Submission', 'Reason', 'Origin', 'Actions']}>
          ${rejections.toReversed().map((item) => html`<${RejectionRow} item=${item} end=${endOf(item)} csrf=${csrf} search=${search} />`)}
        <//>`
      }
      ${before && html`<p><a class="button" href=${formatBefore(before)}>Older rejected submissions</a></p>`}
      ${strangers > 0 && html`<p>${strangers} records of the rejected topic are not rejections: another program writes to it.</p>`}`,
  };
}

/** Runs a retry, and shows a refusal as a page. */
async function retry(work: () => Promise<number>): Promise<{ redirect: string }> {
  try {
    return { redirect: `/console/operator/rejected?sent=${await work()}` };
  } catch (error) {
    if (error instanceof OperatorError) throw new PageError(409, error.message);
    throw error;
  }
}

/** Rejected submissions with their reasons, and a way to send them again, for operators. */
export const operatorRejectedPages: readonly Page[] = [
  { method: 'GET', path: '/console/operator/rejected', role: 'operator', handle: showRejected },
  {
    method: 'POST',
    path: '/console/operator/rejected/retry',
    role: 'operator',
    handle: ({ session }, context) =>
      retry(async () => {
        const outcome = await inTransaction(context.pool, (client) =>
          retryNew(client, context, actorOf(session)),
        );
        return outcome.sent;
      }),
  },
  {
    method: 'GET',
    path: '/console/operator/rejected/{partition}/{offset}',
    role: 'operator',
    async handle({ path, query, csrf }, context) {
      const origin = `${path.partition}/${path.offset}`;
      const { rejections } = await loadRecentRejections(context, NEWEST, readBefore(query));
      const found = findNamed(rejections, origin);
      if (found.length === 0) throw new PageError(404, `No recent rejection of origin ${origin} is kept.`);
      return {
        title: `Rejected submission ${origin}`,
        body: html`
          ${found.map((item) => html`<${WholeRejection} item=${item} csrf=${csrf} />`)}
          <p><a href="/console/operator/rejected">All rejected submissions</a></p>`,
      };
    },
  },
  {
    method: 'POST',
    path: '/console/operator/rejected/{partition}/{offset}/retry',
    role: 'operator',
    handle: ({ session, path }, context) =>
      retry(() =>
        inTransaction(context.pool, (client) =>
          retryChosen(client, context, [`${path.partition}/${path.offset}`], actorOf(session)),
        ),
      ),
  },
];
