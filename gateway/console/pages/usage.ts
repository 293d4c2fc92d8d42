import type { ConsoleSession } from '../../../store/access/console-sessions.ts';
import {
  type ErrorPlace,
  listRequestErrors,
  type RequestError,
} from '../../../store/accounts/request-errors.ts';
import {
  countOpenStreams,
  type DeliveryUsage,
  type KeyUsage,
  loadDailyDeliveries,
  loadDailyUsage,
  loadHourlyUsage,
  loadUsageByKey,
  loadUsageByRoute,
  type PeriodUsage,
  type RequestTotals,
} from '../../../store/accounts/usage.ts';
import { Moment, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';
import { definePage } from '../page.ts';
import { describeLimit } from '../plan-limits.ts';
import { Plot, type PlotBar } from '../plot.ts';
import { readRowId } from '../row-id.ts';

/** The days that the totals cover. */
const DAYS = 30;
export const ERRORS_ON_PAGE = 50;
const KEYS_ON_PAGE = 50;

const PARTS = [
  { kind: 'good', label: 'Answered' },
  { kind: 'faulty', label: 'Faulty (4xx)' },
  { kind: 'limited', label: 'Over the limit (429)' },
  { kind: 'failed', label: 'Failed (5xx)' },
] as const;

const DELIVERY_PARTS = [
  { kind: 'good', label: 'Accepted' },
  { kind: 'failed', label: 'Failed' },
] as const;

const partsOf = ({ requests, limited, faulty, failed }: RequestTotals): number[] => [
  requests - limited - faulty - failed,
  faulty,
  limited,
  failed,
];

const barsOf = (periods: readonly PeriodUsage[], length: number): PlotBar[] =>
  periods.map((period) => ({
    label: period.start.toISOString().slice(0, length).replace('T', ' '),
    values: partsOf(period),
  }));

/** The deliveries to webhooks, if there were any. */
function Deliveries({ days }: { days: readonly DeliveryUsage[] }): Html | null {
  if (days.every(({ accepted, failed }) => accepted + failed === 0)) return null;
  const bars = days.map(({ start, accepted, failed }) => ({
    label: start.toISOString().slice(0, 10),
    values: [accepted, failed],
  }));
  return html`<${Plot} title="Messages to webhooks by day, the last 30 days (UTC)" parts=${DELIVERY_PARTS} bars=${bars} />`;
}

/** The cells of totals in a row of a table, below `TOTALS_HEAD`. */
export function TotalsCells({ totals }: { totals: RequestTotals }): Html {
  const cells = [totals.requests, ...partsOf(totals).slice(1)];
  return html`${cells.map((value) => html`<td class="number">${number.format(value)}</td>`)}`;
}

const nameOf = ({ keyId, name }: KeyUsage): string =>
  keyId === null ? 'the console' : name || `key ${keyId}`;

export const TOTALS_HEAD = ['Requests', 'Faulty', 'Over the limit', 'Failed'];

/** An account and the limits of its plan. */
type UsageSubject = Pick<ConsoleSession, 'accountId' | 'plan' | 'requestsPerMinute' | 'requestsPerDay'>;

function ErrorRow({ error }: { error: RequestError }): Html {
  return html`
    <tr>
      <td><${Moment} at=${error.occurredAt} /></td>
      <td>${error.status} <code>${error.code}</code></td>
      <td>${error.method} ${error.route}</td>
      <td>${error.message}</td>
      <td>${error.keyId ?? 'console'}</td>
      <td><code>${error.requestId}</code></td>
    </tr>`;
}

/** The usage of an account by hour, day and endpoint. */
export async function showUsage(
  { pool }: ConsoleContext,
  { accountId, plan, requestsPerMinute, requestsPerDay }: UsageSubject,
): Promise<Html> {
  const hours = await loadHourlyUsage(pool, accountId);
  const days = await loadDailyUsage(pool, accountId);
  const routes = await loadUsageByRoute(pool, accountId, DAYS);
  const streams = await countOpenStreams(pool, accountId);
  const deliveries = await loadDailyDeliveries(pool, accountId);
  return html`
    <dl class="facts">
      <div><dt>Plan</dt><dd>${plan}</dd></div>
      <div><dt>Requests a minute</dt><dd>${describeLimit(requestsPerMinute)}</dd></div>
      <div><dt>Requests a day (UTC)</dt><dd>${describeLimit(requestsPerDay)}</dd></div>
      <div><dt>Requests today, with the console’s</dt><dd>${number.format(days.at(-1)?.requests ?? 0)}</dd></div>
      <div><dt>Events to webhooks today</dt><dd>${number.format(deliveries.at(-1)?.events ?? 0)}</dd></div>
      <div><dt>Open streams</dt><dd>${streams && `${number.format(streams.open)} ${streams.max === null ? 'without a limit' : `of ${number.format(streams.max)}`}`}</dd></div>
    </dl>
    <${Plot} title="Requests by hour, the last 48 hours (UTC)" parts=${PARTS} bars=${barsOf(hours, 16)} />
    <${Plot} title="Requests by day, the last 30 days (UTC)" parts=${PARTS} bars=${barsOf(days, 10)} />
    <${Deliveries} days=${deliveries} />
    <${Table} caption=${`By endpoint, ${DAYS} days`} head=${['Endpoint', ...TOTALS_HEAD]} numbersFrom=${1}>
      ${routes.map((each) => html`<tr><th scope="row"><code>${each.route}</code></th><${TotalsCells} totals=${each} /></tr>`)}
    <//>`;
}

/** An error's place in the list, in the address of the next page: `2026-11-03T10:00:00.000Z,12`. */
export function readPlace(text: string | null): { occurredAt: Date; id: number } | null {
  const [time = '', id = ''] = (text ?? '').split(',');
  const occurredAt = new Date(time);
  return Number.isNaN(occurredAt.getTime()) || !/^\d{1,15}$/.test(id) ? null : { occurredAt, id: Number(id) };
}

export const writePlace = ({ occurredAt, id }: ErrorPlace): string => `${occurredAt.toISOString()},${id}`;

/** The requests of the account, by their answers. */
export const usagePages = [
  definePage('/console/usage', 'member', async ({ session }, context) => {
    return {
      title: 'Usage',
      body: html`
        ${await showUsage(context, session)}
        <p><a href="/console/usage/keys">Requests by key</a> · <a href="/console/usage/errors">Errors with their request ids</a></p>
        <p class="muted">Numbers are written about every ten seconds and kept for 35 days. Requests of these pages are shown as the console’s, and do not count against the plan.</p>`,
    };
  }),
  definePage('/console/usage/keys', 'member', async ({ session, query }, { pool }) => {
    const before = readRowId(query.get('before'));
    const page = { days: DAYS, limit: KEYS_ON_PAGE + 1, before };
    const used = await loadUsageByKey(pool, session.accountId, page);
    const shown = used.slice(0, KEYS_ON_PAGE);
    return {
      title: 'Requests by key',
      body: html`
        <${Table} caption=${`Keys with requests, ${DAYS} days, the newest first`} head=${['Key', ...TOTALS_HEAD]} numbersFrom=${1}>
          ${shown.map((each) => html`<tr><th scope="row">${nameOf(each)}</th><${TotalsCells} totals=${each} /></tr>`)}
        <//>
        ${used.length > KEYS_ON_PAGE && html`<p><a class="button" href=${`?before=${shown.at(-1)?.keyId}`}>Older keys</a></p>`}`,
    };
  }),
  definePage('/console/usage/errors', 'member', async ({ session, query }, { pool }) => {
    const after = readPlace(query.get('after'));
    const { errors, next } = await listRequestErrors(pool, session.accountId, {
      limit: ERRORS_ON_PAGE,
      after,
    });
    return {
      title: 'Errors',
      body: html`
        <p>The errors that the account was answered in the last seven days. Of a flood, only some are kept.</p>
        <${Table} caption="Errors, newest first" head=${['Time', 'Answer', 'Request', 'Message', 'Key', 'Request id']} empty="There are none.">
          ${errors.map((error) => html`<${ErrorRow} error=${error} />`)}
        <//>
        ${next && html`<p><a class="button" href=${`?after=${writePlace(next)}`}>Older errors</a></p>`}`,
    };
  }),
];
