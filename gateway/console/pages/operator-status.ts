import type { Finding } from '../../../administration/health/finding.ts';
import { MAX_SUBMISSIONS, MAX_UNRELAYED_SECONDS } from '../../../administration/health/judge-lag.ts';
import { judgeKafkaAway, judgeProcesses } from '../../../administration/health/judge-processes.ts';
import type { ServiceLag } from '../../../administration/lag.ts';
import { type ListedProcess, listProcesses } from '../../../store/processes/process-list.ts';
import {
  type LoggedChange,
  listNewestChanges,
  loadStreamActivity,
  type StreamActivity,
} from '../../../store/stream/stream-activity.ts';
import { Moment, Notice, Table } from '../components.ts';
import { EFFECTS, HistoryLink } from '../history-link.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';
import { loadHops } from '../operators/hops.ts';
import { definePage } from '../page.ts';

/** The number of changes that the page lists. */
const NEWEST = 5;

const ALERTS = '/docs/guides/operations/alerts';

function Problem({ finding: { text, since, alert } }: { finding: Finding }): Html {
  return html`
    <li>${text}${since && html` Since <${Moment} at=${since} seconds=${true} />.`}${alert && html` <a href=${`${ALERTS}#${alert.toLowerCase()}`}>Runbook: ${alert}</a>`}</li>`;
}

/** Whether all is well, or what is wrong and what to do. */
function Verdict({ findings }: { findings: readonly Finding[] }): Html {
  const problems = findings.filter(({ status }) => status !== 'ok');
  if (problems.length === 0) return html`<${Notice} kind="good">All is well.<//>`;
  return html`
    <div class="notice bad" role="status">
      <p>${problems.length === 1 ? 'There is a problem:' : `There are ${problems.length} problems:`}</p>
      <ul>${problems.map((finding) => html`<${Problem} finding=${finding} />`)}</ul>
    </div>`;
}

function Facts(props: { activity: StreamActivity; processes: readonly ListedProcess[] }): Html {
  const { activity, processes } = props;
  const streams = processes.reduce(
    (sum, each) => sum + (each.program === 'gateway' && each.state !== 'gone' ? each.details.openStreams : 0),
    0,
  );
  return html`
    <dl class="facts">
      <div><dt>Changes in the last minute</dt><dd>${number.format(activity.lastMinute)}</dd></div>
      <div><dt>Last change</dt><dd><${Moment} at=${activity.newestAt} seconds=${true} /></dd></div>
      <div><dt>Open streams</dt><dd>${number.format(streams)}</dd></div>
    </dl>`;
}

function Lag({ lag }: { lag: ServiceLag }): Html {
  const waiting = lag.submissions.reduce((sum, each) => sum + each.stable_lag, 0);
  const held = lag.submissions.reduce((sum, each) => sum + each.lag - each.stable_lag, 0);
  const rows: [string, number, string, string][] = [
    [
      'Submissions to apply',
      waiting,
      `more than ${number.format(MAX_SUBMISSIONS)}`,
      held > 0 ? `and ${number.format(held)} that an open transaction holds back` : '',
    ],
    [
      'Changes to relay',
      lag.changes.lag,
      `older than ${MAX_UNRELAYED_SECONDS} s`,
      lag.changes.lag > 0 ? `the oldest for ${lag.changes.oldest_seconds} s` : '',
    ],
    ['Rejections to send', lag.rejections.lag, 'any', ''],
  ];
  return html`
    <${Table} caption="Lag at each hop" head=${['Work that waits', 'Number', 'A problem if', 'Note']} numbersFrom=${1} numbersTo=${1}>
      ${rows.map(
        ([what, lagging, limit, note]) =>
          html`<tr><th scope="row">${what}</th><td class="number">${number.format(lagging)}</td><td>${limit}</td><td>${note}</td></tr>`,
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

function ChangeRow({ change: { occurredAt, type, body } }: { change: LoggedChange }): Html {
  const { endorser, contest, choice } = body;
  return html`
    <tr>
      <td><${Moment} at=${occurredAt} seconds=${true} /></td>
      <td>${EFFECTS[type]}</td>
      <th scope="row">${endorser.name}</th>
      <td>${choice.label} <small class="muted">${contest.title}</small></td>
      <td><${HistoryLink} endorser=${endorser.slug} contest=${contest.id} of=${`${endorser.name}, ${contest.title}, ${occurredAt.toISOString()}`} /></td>
    </tr>`;
}

const STATES: Readonly<Record<ListedProcess['state'], string>> = {
  ready: 'ready',
  not_ready: 'not ready',
  gone: 'gone: it has not reported for a minute',
};

/** The part of a process's state that depends on its program. */
function describeDetails(process: ListedProcess): string {
  if (process.program === 'consumers') {
    const { roles, leads } = process.details;
    return roles.map((role) => `${leads.includes(role) ? 'leads' : 'stands by for'} ${role}`).join(', ');
  }
  const { port, openStreams, behindMs } = process.details;
  return `port ${port}, ${number.format(openStreams)} streams, ${number.format(Math.round(behindMs / 1000))} s behind`;
}

function ProcessRow({ process }: { process: ListedProcess }): Html {
  const { program, host, pid, version, startedAt, state, obstacle } = process;
  return html`
    <tr class=${state === 'gone' ? 'over' : null}>
      <th scope="row">${program}</th>
      <td>${host}, process ${pid}</td>
      <td>${STATES[state]}${obstacle && html` <small>${obstacle}</small>`}</td>
      <td>${describeDetails(process)}</td>
      <td>${version}</td>
      <td><${Moment} at=${startedAt} /></td>
    </tr>`;
}

/** The state of the service, for operators. */
export const operatorStatusPages = [
  definePage('/console/operator/status', 'operator', async (_request, context) => {
    const { pool } = context;
    const hops = await loadHops(context);
    const processes = await listProcesses(pool);
    const findings = [...(hops?.problems ?? [judgeKafkaAway(processes)]), ...judgeProcesses(processes)];
    const at = new Date().toISOString();
    const activity = await loadStreamActivity(pool);
    const newest = await listNewestChanges(pool, NEWEST);
    return {
      title: 'Status',
      script: 'status',
      body: html`
        <${Verdict} findings=${findings} />
        <${Facts} activity=${activity} processes=${processes} />
        <${Table} caption="Processes" head=${['Program', 'Machine', 'State', 'Details', 'Version', 'Started']}>
          ${processes.map((process) => html`<${ProcessRow} process=${process} />`)}
        <//>
        ${hops && html`<${Lag} lag=${hops.lag} />`}
        <${Table} caption="The last changes" head=${['Time', 'Change', 'Endorser', 'Choice', 'More']} empty=${null}>
          ${newest.map((change) => html`<${ChangeRow} change=${change} />`)}
        <//>
        <p class="muted">As of <time datetime=${at}>${at.slice(11, 19)} UTC</time>. The command <code>npm run ops -- doctor</code> also examines settings, rights, certificates and clocks.</p>`,
    };
  }),
];
