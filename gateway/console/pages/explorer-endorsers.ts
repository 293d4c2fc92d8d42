import type { Static } from 'typebox';
import type { endorser, endorserCategory, endorserWithElections } from '../../../schemas/http/endorsers.ts';
import { ENDORSER_STATES } from '../../../schemas/vocabulary.ts';
import { Table } from '../components.ts';
import { BallotText } from '../explorer/ballot-text.ts';
import { LanguageField, NextPage, OutsideLink, StateField, showExplorer } from '../explorer/frame.ts';
import { ask, chooseQuery } from '../explorer/question.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';
import type { Page } from '../page.ts';

type Endorser = Static<typeof endorser>;
type Category = Static<typeof endorserCategory>;

function EndorserRow({ item }: { item: Endorser }): Html {
  return html`
    <tr>
      <th scope="row"><a href=${`/console/explorer/endorsers/${encodeURIComponent(item.slug)}`}>${item.name}</a></th>
      <td><${BallotText}>${item.category.name}<//></td>
      <td>${item.state}</td>
      <td class="number">${number.format(item.endorsement_count)}</td>
    </tr>`;
}

/** The list of endorsers, and one endorser with the elections in which it has endorsed. */
export const explorerEndorserPages: readonly Page[] = [
  {
    method: 'GET',
    path: '/console/explorer/endorsers',
    role: 'member',
    async handle(request, context) {
      const query = chooseQuery(request.query, ['q', 'categories', 'states', 'lang', 'cursor']);
      const question = { path: '/v1/endorsers', query };
      const categories = await ask<{ data: Category[] }>(request, context, {
        path: '/v1/endorser-categories',
        query: new URLSearchParams(),
      });
      const { body, problem } = await ask<{ data: Endorser[]; next_cursor: string | null }>(
        request,
        context,
        question,
      );
      return showExplorer(request, {
        title: 'Endorsers',
        tab: '/console/explorer/endorsers',
        question,
        problem,
        body: html`
          <form class="filters" method="get">
            <label>Name contains <input type="search" name="q" value=${query.get('q')} /></label>
            <label>Category
              <select name="categories">
                <option value="">All</option>
                ${categories.body?.data.map(({ slug, name }) => html`<option value=${slug} selected=${slug === query.get('categories')}>${name}</option>`)}
              </select>
            </label>
            <${StateField} name="states" value=${query.get('states')} all="All states" states=${ENDORSER_STATES} />
            <${LanguageField} value=${query.get('lang')} />
            <button>Show</button>
          </form>
          ${
            body &&
            html`
            <${Table} caption="Endorsers" head=${['Endorser', 'Category', 'Home state', 'Endorsements']}>
              ${body.data.map((item) => html`<${EndorserRow} item=${item} />`)}
            <//>
            ${body.data.length === 0 && html`<p>There is no such endorser.</p>`}
            <${NextPage} request=${request} cursor=${body.next_cursor} />`
          }`,
      });
    },
  },
  {
    method: 'GET',
    path: '/console/explorer/endorsers/{slug}',
    role: 'member',
    async handle(request, context) {
      const question = {
        path: '/v1/endorsers/{slug}',
        parameters: { slug: request.path.slug ?? '' },
        query: chooseQuery(request.query, ['lang']),
      };
      const { body, problem } = await ask<{ data: Static<typeof endorserWithElections> }>(
        request,
        context,
        question,
      );
      const found = body?.data;
      return showExplorer(request, {
        title: found?.name ?? 'Endorser',
        tab: '/console/explorer/endorsers',
        question,
        problem,
        body:
          found &&
          html`
          <p><${BallotText}>${found.category.name}<//> · ${found.state} · ${number.format(found.endorsement_count)} endorsements</p>
          ${found.description && html`<p><${BallotText}>${found.description}<//></p>`}
          ${found.website_url && html`<p><${OutsideLink} href=${found.website_url}>${found.website_url}<//></p>`}
          <p><a href=${`/console/live?endorsers=${encodeURIComponent(found.slug)}`}>Watch its changes live</a></p>
          <${Table} caption="Elections that it has endorsed in" head=${['Election', 'Date', 'Contests']}>
            ${found.elections.map(
              ({ election, name, date, contests }) => html`
              <tr>
                <th scope="row"><a href=${`/console/explorer/elections/${encodeURIComponent(election)}`}><${BallotText}>${name}<//></a></th>
                <td>${date}</td>
                <td class="number">${number.format(contests)}</td>
              </tr>`,
            )}
          <//>`,
      });
    },
  },
];
