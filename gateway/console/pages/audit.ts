import { type AuditRecord, listAudit } from '../../../store/accounts/audit-log.ts';
import { Moment, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { definePage, type PageRequest, type ShownPage } from '../page.ts';
import { readRowId } from '../row-id.ts';

const ON_PAGE = 100;

function AuditRow({ entry }: { entry: AuditRecord }): Html {
  const details = Object.keys(entry.details).length > 0 ? JSON.stringify(entry.details) : '';
  return html`
    <tr>
      <td><${Moment} at=${entry.occurredAt} /></td>
      <td>${entry.person ?? entry.osUser ?? entry.databaseUser}${entry.person === null && html` <small>by command</small>`}</td>
      <td>${entry.action}</td>
      <td>${entry.subject}</td>
      <td class="details"><code>${details}</code></td>
    </tr>`;
}

/** The newest entries first, of one account or of all. */
async function showAudit(
  { query }: PageRequest,
  { pool }: ConsoleContext,
  accountId: number | null,
): Promise<ShownPage> {
  const before = readRowId(query.get('before'));
  const entries = await listAudit(pool, { limit: ON_PAGE + 1, before, accountId });
  const shown = entries.reverse().slice(0, ON_PAGE);
  const older = new URLSearchParams(query);
  older.set('before', String(shown.at(-1)?.id));
  return {
    title: 'Audit log',
    body: html`
      <${Table} caption="Changes, newest first" head=${['Time', 'Person', 'Action', 'Subject', 'Details']} empty="Nothing has been changed.">
        ${shown.map((entry) => html`<${AuditRow} entry=${entry} />`)}
      <//>
      ${entries.length > ON_PAGE && html`<p><a class="button" href=${`?${older}`}>Older changes</a></p>`}`,
  };
}

/** The changes of keys, people and plans: those of the account for its owners, all for operators. */
export const auditPages = [
  definePage('/console/audit', 'owner', (request, context) =>
    showAudit(request, context, request.session.accountId),
  ),
  definePage('/console/operator/audit', 'operator', (request, context) =>
    showAudit(request, context, readRowId(request.query.get('account'))),
  ),
];
