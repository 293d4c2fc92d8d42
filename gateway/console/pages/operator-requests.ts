import {
  type FoundRequest,
  type RequestSearch,
  searchRequests,
} from '../../../store/accounts/request-search.ts';
import { Moment, Select, Table } from '../components.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';
import { definePage } from '../page.ts';
import { fieldsOfQuery } from '../query-fields.ts';
import { readRowId } from '../row-id.ts';
import { ERRORS_ON_PAGE, readPlace, writePlace } from './usage.ts';

const PATH = '/console/operator/requests';
/** The longest value of a field, in characters. */
const MAX_VALUE = 200;
const FIELDS = ['account', 'key', 'route', 'status', 'request', 'show'] as const;

/** The kinds of requests to show. */
const SHOWN = [
  ['errors', 'Only errors', true],
  ['others', 'Only others', false],
] as const;

/** What the address asks for. Values that cannot be meant count as missing. */
function readSearch(query: URLSearchParams): RequestSearch {
  const text = (name: (typeof FIELDS)[number]) => query.get(name)?.trim().slice(0, MAX_VALUE) || null;
  const status = text('status');
  return {
    account: text('account'),
    keyId: readRowId(text('key')),
    route: text('route'),
    status: status !== null && /^[1-5]\d\d$/.test(status) ? Number(status) : null,
    requestId: text('request'),
    isError: SHOWN.find(([value]) => value === query.get('show'))?.[2] ?? null,
  };
}

function RequestRow({ item }: { item: FoundRequest }): Html {
  const { occurredAt, accountId, account, status, code, method, route, message, keyId, requestId, ms } = item;
  return html`
    <tr>
      <td><${Moment} at=${occurredAt} /></td>
      <td><a href=${`/console/operator/accounts/${accountId}`}>${account}</a></td>
      <td>${status}${code !== null && html` <code>${code}</code>`}</td>
      <td>${method} ${route}</td>
      <td>${message ?? `after ${number.format(ms ?? 0)} ms`}</td>
      <td>${keyId ?? 'console'}</td>
      <td><code>${requestId}</code></td>
    </tr>`;
}

/** The kept requests of all accounts, for operators. */
export const operatorRequestPages = [
  definePage(PATH, 'operator', async ({ query }, { pool }) => {
    const page = { limit: ERRORS_ON_PAGE, after: readPlace(query.get('after')) };
    const { requests, next } = await searchRequests(pool, readSearch(query), page);
    const given = fieldsOfQuery(query, FIELDS);
    const older = next && `?${new URLSearchParams([...given, ['after', writePlace(next)]])}`;
    const field = (name: (typeof FIELDS)[number], label: string, hint: string) => html`
      <label>${label} <input name=${name} value=${query.get(name) ?? ''} maxlength=${MAX_VALUE} placeholder=${hint} /></label>`;
    return {
      title: 'Requests of all accounts',
      body: html`
        <p>Requests of the last seven days: of each account, the newest 1,000 errors, 200 answers that took a second or more, and a sample of 800 others. Of a flood, only some are kept. The usage counts all.</p>
        <form class="filters" method="get">
          ${field('account', 'Account contains', 'acme')}
          ${field('key', 'Key', 'its number')}
          ${field('route', 'Endpoint begins with', '/v1/contests')}
          ${field('status', 'Status', '429')}
          ${field('request', 'Request id', 'as the client got it')}
          <${Select} label="Show" name="show" options=${SHOWN} chosen=${query.get('show')} none="All" />
          <button>Show</button>
        </form>
        <${Table} caption="Requests, newest first" head=${['Time', 'Account', 'Answer', 'Request', 'Message or time', 'Key', 'Request id']} empty=${next ? 'Nothing among the newer requests fits. Older ones may.' : 'No request matches.'}>
          ${requests.map((item) => html`<${RequestRow} item=${item} />`)}
        <//>
        ${older && html`<p><a class="button" href=${older}>Older requests</a></p>`}`,
    };
  }),
];
