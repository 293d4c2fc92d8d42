import type { Static } from 'typebox';
import type { officeholder } from '../../../schemas/http/officeholders.ts';
import { ListTable, OutsideLink, StateField, showExplorer } from '../explorer/frame.ts';
import { ask, chooseQuery, type List } from '../explorer/question.ts';
import { type Html, html } from '../html.ts';
import { definePage } from '../page.ts';

type Officeholder = Static<typeof officeholder>;

const TAB = '/console/explorer/officeholders';

function PersonRow({ item }: { item: Officeholder }): Html {
  return html`
    <tr>
      <th scope="row">${item.name}</th>
      <td>${item.party}</td>
      <td>${item.offices.map(({ office_title, district }) => html`<div>${office_title}${district && html` <span class="muted">${district}</span>`}</div>`)}</td>
      <td>${item.state}</td>
      <td><${OutsideLink} href=${item.website_url} text="Website" of=${item.name} /></td>
    </tr>`;
}

/** The people in office. */
export const explorerOfficeholderPages = [
  definePage(TAB, 'member', async (request, context) => {
    const query = chooseQuery(request.query, ['q', 'states', 'cursor']);
    query.set('limit', '50');
    const question = { path: '/v1/officeholders', query };
    const { body, problem } = await ask<List<Officeholder>>(request, context, question);
    return showExplorer(request, {
      title: 'Officeholders',
      tab: TAB,
      question,
      problem,
      body: html`
        <form class="filters" method="get">
          <label>Name contains <input type="search" name="q" value=${query.get('q')} /></label>
          <${StateField} name="states" value=${query.get('states')} all="All states" />
          <button>Show</button>
        </form>
        <${ListTable} request=${request} list=${body} row=${PersonRow} caption="Officeholders" head=${['Name', 'Party', 'Offices', 'State', 'Page']} empty="There is no such officeholder." />`,
    });
  }),
];
