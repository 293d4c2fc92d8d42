import {
  type AccountError,
  type ErrorSearch,
  searchRequestErrors,
} from '../../../store/accounts/request-errors.ts';
import { Moment, Table } from '../components.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../page.ts';
import { fieldsOfQuery } from '../query-fields.ts';
import { readRowId } from '../row-id.ts';
import { ERRORS_ON_PAGE, readPlace, writePlace } from './usage.ts';

const PATH = '/console/operator/errors';
/** The longest value of a field, in characters. */
const MAX_VALUE = 200;
const FIELDS = ['account', 'key', 'route', 'status', 'request'] as const;

/** What the address asks for. Values that cannot be meant count as missing. */
function readSearch(query: URLSearchParams): ErrorSearch {
  const text = (name: (typeof FIELDS)[number]) => query.get(name)?.trim().slice(0, MAX_VALUE) || null;
  const status = text('status');
  return {
    account: text('account'),
    keyId: readRowId(text('key')),
    route: text('route'),
    status: status !== null && /^[45]\d\d$/.test(status) ? Number(status) : null,
    requestId: text('request'),
  };
}

function ErrorRow({ item }: { item: AccountError }): Html {
  const { occurredAt, accountId, account, status, code, method, route, message, keyId, requestId } = item;
  return html`
    <tr>
      <td><${Moment} at=${occurredAt} /></td>
      <td><a href=${`/console/operator/accounts/${accountId}`}>${account}</a></td>
      <td>${status} <code>${code}</code></td>
      <td>${method} ${route}</td>
      <td>${message}</td>
      <td>${keyId ?? 'console'}</td>
      <td><code>${requestId}</code></td>
    </tr>`;
}

/** The kept errors of all accounts, for operators. */
export const operatorErrorPages: readonly Page[] = [
  {
    method: 'GET',
    path: PATH,
    role: 'operator',
    async handle({ query }, { pool }) {
      const page = { limit: ERRORS_ON_PAGE, after: readPlace(query.get('after')) };
      const { errors, next } = await searchRequestErrors(pool, readSearch(query), page);
      const given = fieldsOfQuery(query, FIELDS);
      const older = next && `?${new URLSearchParams([...given, ['after', writePlace(next)]])}`;
      const field = (name: (typeof FIELDS)[number], label: string, hint: string) => html`
        <label>${label} <input name=${name} value=${query.get(name) ?? ''} maxlength=${MAX_VALUE} placeholder=${hint} /></label>`;
      return {
        title: 'Errors of all accounts',
        body: html`
          <p>The errors that accounts were answered in the last seven days, at most 1,000 of each. Of a flood, only some are kept.</p>
          <form class="filters" method="get">
            ${field('account', 'Account contains', 'acme')}
            ${field('key', 'Key', 'its number')}
            ${field('route', 'Endpoint begins with', '/v1/contests')}
            ${field('status', 'Status', '429')}
            ${field('request', 'Request id', 'as the client got it')}
            <button>Show</button>
          </form>
          ${
            errors.length === 0
              ? html`<p>${next ? 'Nothing among the newer errors fits. Older ones may.' : 'Nothing fits.'}</p>`
              : html`
            <${Table} caption="Errors, newest first" head=${['Time', 'Account', 'Answer', 'Request', 'Message', 'Key', 'Request id']}>
              ${errors.map((item) => html`<${ErrorRow} item=${item} />`)}
            <//>`
          }
          ${older && html`<p><a class="button" href=${older}>Older errors</a></p>`}`,
      };
    },
  },
];
