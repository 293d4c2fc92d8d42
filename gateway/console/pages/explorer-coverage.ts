import type { Static } from 'typebox';
import type { coverage } from '../../../schemas/http/states.ts';
import { Select, Table } from '../components.ts';
import { ExplorerLink } from '../explorer/ballot-text.ts';
import { showExplorer } from '../explorer/frame.ts';
import { ask, chooseQuery } from '../explorer/question.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';
import { definePage } from '../page.ts';

type Coverage = Static<typeof coverage>;

const TAB = '/console/explorer/coverage';
const COUNTS = {
  election_count: 'Elections',
  contest_count: 'Contests',
  measure_count: 'Measures',
  endorser_count: 'Endorsers',
  endorsement_count: 'Endorsements',
  endorsed_contest_count: 'Endorsed contests',
} as const satisfies Partial<Record<keyof Coverage, string>>;
const FIELDS = Object.keys(COUNTS) as (keyof typeof COUNTS)[];
/** An endorser can be counted in several states, so these have no total. */
const NO_TOTAL: readonly (keyof Coverage)[] = ['endorser_count'];

function StateRow({ item }: { item: Coverage }): Html {
  return html`
    <tr>
      <th scope="row"><${ExplorerLink} href=${`/console/explorer?states=${item.state}`}>${item.name}<//></th>
      ${FIELDS.map((field) => html`<td class="number">${number.format(item[field])}</td>`)}
      <td class="day">${item.first_election}</td>
      <td class="day">${item.last_election}</td>
    </tr>`;
}

function Totals({ items }: { items: readonly Coverage[] }): Html {
  const total = (field: keyof typeof COUNTS) => items.reduce((sum, item) => sum + item[field], 0);
  return html`
    <tr>
      <th scope="row">Total</th>
      ${FIELDS.map((field) => html`<td class="number">${NO_TOTAL.includes(field) ? '' : number.format(total(field))}</td>`)}
      <td></td><td></td>
    </tr>`;
}

/** The amount of data, by state. */
export const explorerCoveragePages = [
  definePage(TAB, 'member', async (request, context) => {
    const question = { path: '/v1/coverage', query: chooseQuery(request.query, ['upcoming']) };
    const { body, problem } = await ask<{ data: Coverage[] }>(request, context, question);
    const covered = (body?.data ?? [])
      .filter(({ election_count: elections }) => elections > 0)
      .sort((a, b) => a.name.localeCompare(b.name, 'en'));
    const isAll = question.query.get('upcoming') === 'false';
    return showExplorer(request, {
      title: 'Coverage',
      tab: TAB,
      question,
      problem,
      body: html`
        <form class="filters" method="get">
          <${Select} label="Elections" name="upcoming" options=${[['false', 'All']]} chosen=${isAll && 'false'} none="Upcoming" />
          <button>Show</button>
        </form>
        ${
          body &&
          html`
          <p>${covered.length} of ${body.data.length} states and territories have ${isAll ? 'an election' : 'an upcoming election'}.</p>
          <${Table} caption="States with elections" head=${['State', ...Object.values(COUNTS), 'First', 'Last']} numbersFrom=${1} numbersTo=${FIELDS.length}>
            ${covered.map((item) => html`<${StateRow} item=${item} />`)}
            <${Totals} items=${covered} />
          <//>`
        }`,
    });
  }),
];
