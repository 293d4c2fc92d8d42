import { readSubmission } from '../../../administration/rejections/describe.ts';
import { findMended } from '../../../administration/rejections/find-mended.ts';
import { findSuperseded } from '../../../administration/rejections/find-superseded.ts';
import { originOf } from '../../../administration/rejections/name.ts';
import { byTime } from '../../../administration/rejections/read-rejections.ts';
import { loadLaterRejections } from '../../../administration/rejections/recent.ts';
import { retryNew } from '../../../administration/rejections/retry.ts';
import { searchRejections } from '../../../administration/rejections/search.ts';
import { dismissChosen, findSettled } from '../../../administration/rejections/settle.ts';
import { shorten } from '../../../schemas/problems.ts';
import type { Rejection } from '../../../schemas/submission.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { actorOf } from '../actor.ts';
import { Moment, Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import { number } from '../number.ts';
import { defineForm, definePage, type PageRequest, type ShownPage } from '../page.ts';
import { fieldsOfQuery } from '../query-fields.ts';
import {
  findOneIn,
  NEWEST,
  placeOf,
  REJECTED,
  readBefore,
  refuseAsPage,
  writeBefore,
} from '../rejections/rejection.ts';
import { readSearch, SEARCH_FIELDS, SearchForm } from '../rejections/search-form.ts';

/** The longest reason in the list, in characters. */
const MAX_REASON = 300;

function RejectionRow(props: {
  item: Rejection;
  /** Why nothing more is to be done; null otherwise. */
  end: string | null;
  /** The query with which the page of a rejection finds it. */
  search: string;
}): Html {
  const { item, end, search } = props;
  const submission = readSubmission(item);
  const place = placeOf(item);
  const origin = originOf(item);
  const canRetry = submission && !item.truncated && end === null;
  const action = (name: string, label: string) => html`
    <${Form} action=${`${place}/${name}${search}`}><button class="plain" aria-label=${`${label} ${origin}`}>${label}</button><//>`;
  return html`
    <tr class=${end && 'over'}>
      <td><${Moment} at=${new Date(item.rejected_at)} /></td>
      <td>${submission ? `${submission.endorser}, ${submission.contest}` : html`<span class="muted">cannot be read</span>`}</td>
      <td><code>${item.code}</code> ${shorten(item.message, MAX_REASON)}</td>
      <td><a href=${place + search}>${origin}</a></td>
      <td class="actions">
        ${end && html`<small>${end}</small>`}
        ${canRetry && action('retry', 'Retry')}
        ${canRetry && html`<a href=${`${place}/edit${search}`} aria-label=${`Edit ${origin}`}>Edit</a> `}
        ${end === null && action('dismiss', 'Dismiss')}
      </td>
    </tr>`;
}

/** Why nothing more is to be done about each rejection; rejections that are open are missing. */
async function findEnds(
  { pool }: ConsoleContext,
  rejections: readonly Rejection[],
  later: readonly Rejection[],
): Promise<ReadonlyMap<Rejection, string>> {
  const mended = await findMended(pool, rejections);
  const settled = await findSettled(pool, rejections);
  const superseded = findSuperseded([...rejections, ...later].sort(byTime));
  return new Map([
    ...[...superseded].map((item) => [item, 'sent again since'] as const),
    ...[...mended].map((item) => [item, 'changed since'] as const),
    ...[...settled].map(([item, how]) => [item, how] as const),
  ]);
}

const DONE = {
  sent: (count: string) => `Sent again: ${count}. Those that are still wrong will be rejected again.`,
  dismissed: (count: string) => `Dismissed: ${count}.`,
  corrected: (count: string) => `Corrections sent: ${count}. What is still wrong will be rejected again.`,
};

function DoneCount({ query }: { query: URLSearchParams }): Html[] {
  return Object.entries(DONE).flatMap(([name, describe]) => {
    const count = query.get(name);
    if (count === null || !/^\d{1,9}$/.test(count)) return [];
    return [html`<${Notice} kind="good" answers>${describe(number.format(Number(count)))}<//>`];
  });
}

async function showRejected({ query }: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  const shown = readBefore(query.get('before'));
  const { isOpen, ...search } = readSearch(query, context.clock.now());
  const read = await searchRejections(context, search, { ofPartition: NEWEST, before: shown });
  const ends = await findEnds(context, read.rejections, await loadLaterRejections(context, shown));
  const found = read.found.filter((item) => !isOpen || !ends.has(item));
  const filters = fieldsOfQuery(query, SEARCH_FIELDS);
  const older = read.before && `?${new URLSearchParams([...filters, ['before', writeBefore(read.before)]])}`;
  const place = (item: Rejection) => {
    const before = read.places.get(item);
    return before ? `?before=${writeBefore(before)}` : '';
  };
  return {
    title: 'Rejected submissions',
    body: html`
      <${DoneCount} query=${query} />
      <${SearchForm} query=${query} codes=${[...new Set(read.rejections.map(({ code }) => code))].sort()} />
      ${
        found.length === 0
          ? html`<p>${describeNothing({ isOlder: shown !== null, isFiltered: filters.length > 0, goesOn: read.before !== null })}</p>`
          : html`
        <${Form} action=${`${REJECTED}/retry`}>
          <button>Retry everything rejected since the last retry</button>
          <p class="muted">A submission whose endorser has changed its position since is left out, and of equal ones all but the last.</p>
        <//>
        <${Table} caption="Newest first" head=${['Rejected', 'Submission', 'Reason', 'Origin', 'Actions']}>
          ${found.toReversed().map((item) => html`<${RejectionRow} item=${item} end=${ends.get(item) ?? null} search=${place(item)} />`)}
        <//>`
      }
      ${older && html`<p><a class="button" href=${older}>Older rejected submissions</a></p>`}
      ${read.strangers > 0 && html`<p>${read.strangers} records of the rejected topic are not rejections: another program writes to it.</p>`}`,
  };
}

function describeNothing(state: { isOlder: boolean; isFiltered: boolean; goesOn: boolean }): string {
  if (state.isFiltered) {
    return state.goesOn
      ? 'Nothing among the newer rejections fits. Older ones may.'
      : 'No rejected submission fits.';
  }
  return state.isOlder ? 'No older rejected submissions.' : 'No rejected submissions in the last 30 days.';
}

/** Notes that nothing more is to be done about a rejection. */
const dismissOne = (request: PageRequest, context: ConsoleContext) =>
  refuseAsPage(async () => {
    const chosen = [(await findOneIn(request, context)).item];
    const dismissed = await inTransaction(context.pool, (client) =>
      dismissChosen(client, context, chosen, actorOf(request.session)),
    );
    return { redirect: `${REJECTED}?dismissed=${dismissed}` };
  });

/** Rejected submissions with their reasons, and a way to send them again, for operators. */
export const operatorRejectedPages = [
  definePage(REJECTED, 'operator', showRejected),
  defineForm(`${REJECTED}/retry`, 'operator', ({ session }, context) =>
    refuseAsPage(async () => {
      const { sent } = await inTransaction(context.pool, (client) =>
        retryNew(client, context, actorOf(session)),
      );
      return { redirect: `${REJECTED}?sent=${sent}` };
    }),
  ),
  defineForm(`${REJECTED}/{partition}/{offset}/dismiss`, 'operator', dismissOne),
];
