import type { Static } from 'typebox';
import type { listedEndorsement } from '../../../schemas/http/endorsements.ts';
import type { endorser, endorserWithElections } from '../../../schemas/http/endorsers.ts';
import { ENDORSER_STATES } from '../../../schemas/vocabulary.ts';
import { Day, Select, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { BallotText, ExplorerLink } from '../explorer/ballot-text.ts';
import { LanguageField, ListTable, OutsideLink, StateField, showExplorer } from '../explorer/frame.ts';
import { ask, chooseQuery, type List } from '../explorer/question.ts';
import { loadCategories } from '../filter/filter-fields.ts';
import { HistoryLink } from '../history-link.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';
import { definePage, type PageRequest } from '../page.ts';

type Endorser = Static<typeof endorser>;
type EndorserWithElections = Static<typeof endorserWithElections>;
type Endorsement = Static<typeof listedEndorsement>;

/** A longer table of elections is folded, so that people reach the endorsements below it. */
const MAX_OPEN = 20;

function EndorserRow({ item }: { item: Endorser }): Html {
  return html`
    <tr>
      <th scope="row"><${ExplorerLink} href=${`/console/explorer/endorsers/${encodeURIComponent(item.slug)}`}>${item.name}<//></th>
      <td><${BallotText}>${item.category.name}<//></td>
      <td>${item.state}</td>
      <td class="number">${number.format(item.endorsement_count)}</td>
    </tr>`;
}

function ElectionRow({ item }: { item: EndorserWithElections['elections'][number] }): Html {
  const { election, name, date, contests } = item;
  return html`
    <tr>
      <th scope="row"><${ExplorerLink} href=${`/console/explorer/elections/${encodeURIComponent(election)}`}><${BallotText}>${name}<//><//></th>
      <td class="day">${date}</td>
      <td class="number">${number.format(contests)}</td>
    </tr>`;
}

/** A page of an endorser's endorsements; null if its cursor is of another list. */
async function loadEndorsements(
  request: PageRequest,
  context: ConsoleContext,
  endorser: string,
): Promise<List<Endorsement> | null> {
  const query = chooseQuery(request.query, ['lang', 'cursor']);
  query.set('endorsers', endorser);
  query.set('limit', '50');
  const { body } = await ask<List<Endorsement>>(request, context, { path: '/v1/endorsements', query });
  return body;
}

function EndorsementRow({ item }: { item: Endorsement }): Html {
  const { contest, choice, election, endorser, rank, statement, source_url } = item;
  return html`
    <tr>
      <th scope="row"><${ExplorerLink} href=${`/console/explorer/contests/${contest.id}`}><${BallotText}>${contest.title}<//><//> <small class="muted">${election.state}, <${Day}>${election.date}<//></small></th>
      <td>${rank !== null && `${rank}. `}<${BallotText}>${choice.label}<//></td>
      <td><${BallotText}>${statement}<//> <${OutsideLink} href=${source_url} text="Source" of=${`${contest.title}, ${choice.label}`} /></td>
      <td><${HistoryLink} endorser=${endorser.slug} contest=${contest.id} of=${`${contest.title}, ${choice.label}`} /></td>
    </tr>`;
}

/** The list of endorsers, and one endorser with the elections in which it has endorsed. */
export const explorerEndorserPages = [
  definePage('/console/explorer/endorsers', 'member', async (request, context) => {
    const query = chooseQuery(request.query, ['q', 'categories', 'states', 'lang', 'cursor']);
    const question = { path: '/v1/endorsers', query };
    const categories = await loadCategories(request, context);
    const { body, problem } = await ask<List<Endorser>>(request, context, question);
    return showExplorer(request, {
      title: 'Endorsers',
      tab: '/console/explorer/endorsers',
      question,
      problem,
      body: html`
        <form class="filters" method="get">
          <label>Name contains <input type="search" name="q" value=${query.get('q')} /></label>
          <${Select} label="Category" name="categories" options=${categories.map(({ value, label }) => [value, label])} chosen=${query.get('categories')} none="All" />
          <${StateField} name="states" value=${query.get('states')} all="All states" states=${ENDORSER_STATES} />
          <${LanguageField} value=${query.get('lang')} />
          <button>Show</button>
        </form>
        <${ListTable} request=${request} list=${body} row=${EndorserRow} caption="Endorsers" head=${['Endorser', 'Category', 'Home state', 'Endorsements']} numbersFrom=${3} empty="There is no such endorser." />`,
    });
  }),
  definePage('/console/explorer/endorsers/{slug}', 'member', async (request, context) => {
    const question = {
      path: '/v1/endorsers/{slug}',
      parameters: { slug: request.path.slug ?? '' },
      query: chooseQuery(request.query, ['lang']),
    };
    const { body, problem } = await ask<{ data: EndorserWithElections }>(request, context, question);
    const found = body?.data;
    const held = found ? await loadEndorsements(request, context, found.slug) : null;
    return showExplorer(request, {
      title: found?.name ?? 'Endorser',
      tab: '/console/explorer/endorsers',
      question,
      problem,
      body:
        found &&
        html`
          <p><${BallotText}>${found.category.name}<//> · ${found.state} · ${number.format(found.endorsement_count)} ${found.endorsement_count === 1 ? 'endorsement' : 'endorsements'}</p>
          ${found.description && html`<p><${BallotText}>${found.description}<//></p>`}
          ${found.website_url && html`<p><${OutsideLink} href=${found.website_url} text=${found.website_url} /></p>`}
          <p><a href=${`/console/live?endorsers=${encodeURIComponent(found.slug)}`}>Watch its changes live</a></p>
          <details open=${found.elections.length <= MAX_OPEN}>
            <summary>Elections that it has endorsed in: ${number.format(found.elections.length)}</summary>
            <${Table} caption="Elections that it has endorsed in" head=${['Election', 'Date', 'Contests']} numbersFrom=${2}>
              ${found.elections.map((item) => html`<${ElectionRow} item=${item} />`)}
            <//>
          </details>
          <${ListTable} request=${request} list=${held} row=${EndorsementRow} caption="Its endorsements" head=${['Contest', 'Choice', 'Statement', 'History']} />`,
    });
  }),
];
