import { measureLag, type ServiceLag } from '../../../administration/lag.ts';
import { classifyFailure } from '../../../service/failure.ts';
import { Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../page.ts';

const number = new Intl.NumberFormat('en-US');

/** The lag at each hop; null while Kafka does not answer. */
async function findLag(context: ConsoleContext): Promise<ServiceLag | null> {
  try {
    return await measureLag(context.pool, context);
  } catch (error) {
    if (classifyFailure(error) === 'kafka_away') return null;
    throw error;
  }
}

function Lag({ lag }: { lag: ServiceLag }): Html {
  const waiting = lag.submissions.reduce((sum, each) => sum + each.stable_lag, 0);
  const held = lag.submissions.reduce((sum, each) => sum + each.lag - each.stable_lag, 0);
  const rows: [string, number, string][] = [
    [
      'Submissions to apply',
      waiting,
      held > 0 ? `and ${number.format(held)} that an open transaction holds back` : '',
    ],
    [
      'Changes to relay',
      lag.changes.lag,
      lag.changes.lag > 0 ? `the oldest for ${lag.changes.oldest_seconds} s` : '',
    ],
    ['Rejections to send', lag.rejections.lag, ''],
  ];
  return html`
    <${Table} caption="Lag at each hop" head=${['Work that waits', 'Number', 'Note']}>
      ${rows.map(
        ([what, lagging, note]) =>
          html`<tr><th scope="row">${what}</th><td class="number">${number.format(lagging)}</td><td>${note}</td></tr>`,
      )}
    <//>
    <details>
      <summary>By partition</summary>
      <${Table} caption="Submissions, by partition" head=${['Partition', 'Applied to', 'Last stable', 'End', 'Lag']} numbersFrom=${1}>
        ${lag.submissions.map(
          ({ partition, done, stable_end, end, lag: behind }) =>
            html`<tr><th scope="row">${partition}</th>${[done, stable_end, end, behind].map((value) => html`<td class="number">${number.format(value)}</td>`)}</tr>`,
        )}
      <//>
    </details>`;
}

/** The state of the service, for operators. */
export const operatorStatusPages: readonly Page[] = [
  {
    method: 'GET',
    path: '/console/operator/status',
    role: 'operator',
    async handle(_request, context) {
      const lag = await findLag(context);
      return {
        title: 'Status',
        body:
          lag === null ? html`<${Notice} kind="bad">Kafka does not answer.<//>` : html`<${Lag} lag=${lag} />`,
      };
    },
  },
];
