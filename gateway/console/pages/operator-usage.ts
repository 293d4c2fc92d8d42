import { listPlans } from '../../../store/accounts/plans.ts';
import {
  type AccountUsage,
  loadUsageByAccount,
  TOTAL_KINDS,
  type TotalKind,
} from '../../../store/accounts/usage.ts';
import { Select, Table } from '../components.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';
import { definePage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readRowId } from '../row-id.ts';
import { addressOfAccount, findAccount } from './operator-accounts.ts';
import { showUsage, TOTALS_HEAD, TotalsCells } from './usage.ts';

const ON_PAGE = 100;
const MAX_PAGES = 1000;
const PERIODS = new Map([
  [1, 'today (UTC)'],
  [7, '7 days'],
  [30, '30 days'],
]);
const DEFAULT_DAYS = 7;

interface Choice {
  days: number;
  by: TotalKind;
  /** From 1. */
  page: number;
}

/** The choice in an address. Values that no page offers count as missing. */
function readChoice(query: URLSearchParams): Choice {
  const days = Number(query.get('days'));
  const page = readRowId(query.get('page')) ?? 1;
  return {
    days: PERIODS.has(days) ? days : DEFAULT_DAYS,
    by: TOTAL_KINDS.find((kind) => kind === query.get('by')) ?? 'requests',
    page: Math.min(page, MAX_PAGES),
  };
}

const addressOf = ({ days, by, page }: Choice): string =>
  `/console/operator/usage?${new URLSearchParams({ days: `${days}`, by, page: `${page}` })}`;

function AccountRow({ item }: { item: AccountUsage }): Html {
  return html`
    <tr>
      <th scope="row"><a href=${`/console/operator/usage/${item.accountId}`}>${item.account}</a></th>
      <td>${item.plan}</td>
      <${TotalsCells} totals=${item} />
      <td class="number">${number.format(item.events)}</td>
    </tr>`;
}

/** The usage of every account, for operators. */
export const operatorUsagePages = [
  definePage('/console/operator/usage', 'operator', async ({ query }, { pool }) => {
    const choice = readChoice(query);
    const offset = (choice.page - 1) * ON_PAGE;
    const accounts = await loadUsageByAccount(pool, { ...choice, limit: ON_PAGE + 1, offset });
    const order = (TOTALS_HEAD[TOTAL_KINDS.indexOf(choice.by)] ?? '').toLowerCase();
    return {
      title: 'Usage of all accounts',
      body: html`
        <form class="filters" method="get">
          <${Select} label="Period" name="days" options=${[...PERIODS]} chosen=${choice.days} />
          <${Select} label="Highest first by" name="by" options=${TOTAL_KINDS.map((kind, index) => [kind, TOTALS_HEAD[index]])} chosen=${choice.by} />
          <button>Show</button>
        </form>
        <${Table} caption=${`Accounts by ${order}, ${PERIODS.get(choice.days)}`} head=${['Account', 'Plan', ...TOTALS_HEAD, 'Events to webhooks']} numbersFrom=${2}>
          ${accounts.slice(0, ON_PAGE).map((item) => html`<${AccountRow} item=${item} />`)}
        <//>
        ${accounts.length > ON_PAGE && html`<p><a class="button" href=${addressOf({ ...choice, page: choice.page + 1 })}>Next accounts</a></p>`}
        <p class="muted">Accounts without a request or a delivery are left out. Numbers are written about every ten seconds.</p>`,
    };
  }),
  definePage('/console/operator/usage/{id}', 'operator', async ({ path }, context) => {
    const account = await findAccount(context, path.id);
    const plan = (await listPlans(context.pool)).find(({ name }) => name === account.plan);
    if (!plan) throw new PageError(404, 'There is no such account.');
    return {
      title: `Usage of ${account.name}`,
      body: html`
        ${await showUsage(context, { ...plan, accountId: account.id, plan: plan.name })}
        <p><a href=${addressOfAccount(account)}>The account</a></p>`,
    };
  }),
];
