import type { Static } from 'typebox';
import type { contestWithPositions } from '../../../schemas/http/contests.ts';
import type { election } from '../../../schemas/http/elections.ts';
import { findElectionName } from '../../../store/console/search.ts';
import { Day, Select, Table } from '../components.ts';
import { BallotText, ExplorerLink } from '../explorer/ballot-text.ts';
import {
  type Choice,
  ChoiceName,
  type Contest,
  ContestHeading,
  describeVote,
  groupOf,
} from '../explorer/contest-parts.ts';
import {
  LanguageField,
  ListTable,
  NextPage,
  OutsideLink,
  StateField,
  showExplorer,
} from '../explorer/frame.ts';
import { ask, chooseQuery, type List } from '../explorer/question.ts';
import { loadTally, Tally } from '../explorer/tally.ts';
import { HistoryLink } from '../history-link.ts';
import { type Html, html, InTurns } from '../html.ts';
import { mayUse } from '../layout.ts';
import { number } from '../number.ts';
import { definePage } from '../page.ts';
import { PageError } from '../page-error.ts';

type Election = Static<typeof election>;
type Position = Static<typeof contestWithPositions>['endorsements'][number];

/** More would make the page too long to read. */
const MAX_POSITIONS = 200;

function ElectionRow({ item }: { item: Election }): Html {
  return html`
    <tr>
      <th scope="row"><${ExplorerLink} href=${`/console/explorer/elections/${encodeURIComponent(item.slug)}`}><${BallotText}>${item.name}<//><//></th>
      <td class="day">${item.date}</td>
      <td>${item.state}</td>
      <td>${item.type.replaceAll('_', ' ')}</td>
      <td class="number">${number.format(item.contest_count ?? 0)}</td>
      <td class="number">${number.format(item.endorsement_count ?? 0)}</td>
    </tr>`;
}

function Choices({ items }: { items: readonly Choice[] }): Html {
  return html`<ul><${InTurns} items=${items} each=${(item: Choice) => html`<li><${ChoiceName} item=${item} /></li>`} /></ul>`;
}

function ListedContest({ item }: { item: Contest }): Html {
  return html`
    <section class="contest">
      <${ContestHeading} item=${item} />
      <${Choices} items=${item.choices} />
    </section>`;
}

function PositionRow({ position, contest }: { position: Position; contest: Contest }): Html {
  const { endorser } = position;
  const nameOf = new Map(contest.choices.map((choice) => [choice.id, choice]));
  return html`
    <tr>
      <th scope="row"><${ExplorerLink} href=${`/console/explorer/endorsers/${encodeURIComponent(endorser.slug)}`}>${endorser.name}<//></th>
      <td><${BallotText}>${endorser.category.name}<//></td>
      <td>
        ${position.picks.map((pick) => {
          const choice = nameOf.get(pick.choice_id);
          return html`<div>${pick.rank !== null && `${pick.rank}. `}${choice ? html`<${ChoiceName} item=${choice} />` : html`<${BallotText}>${pick.label}<//>`}</div>`;
        })}
      </td>
      <td>
        ${position.picks.map(
          ({ statement, source_url, label }) =>
            html`<div><${BallotText}>${statement}<//> <${OutsideLink} href=${source_url} text="Source" of=${`${endorser.name}, ${label}`} /></div>`,
        )}
      </td>
      <td><${HistoryLink} endorser=${endorser.slug} contest=${contest.id} of=${endorser.name} /></td>
    </tr>`;
}

/** Elections, their contests, and the positions of endorsers in a contest. */
export const explorerElectionPages = [
  definePage('/console/explorer', 'member', async (request, context) => {
    const query = chooseQuery(request.query, ['states', 'upcoming', 'lang', 'cursor']);
    const question = { path: '/v1/elections', query };
    const { body, problem } = await ask<List<Election>>(request, context, question);
    return showExplorer(request, {
      title: 'Explorer',
      tab: '/console/explorer',
      question,
      problem,
      body: html`
        <form class="filters" method="get">
          <${StateField} name="states" value=${query.get('states')} all="All states" />
          <${Select} label="When" name="upcoming" options=${[['true', 'Upcoming']]} chosen=${query.get('upcoming')} none="All elections" />
          <${LanguageField} value=${query.get('lang')} />
          <button>Show</button>
        </form>
        <${ListTable} request=${request} list=${body} row=${ElectionRow} caption="Elections" head=${['Election', 'Date', 'State', 'Type', 'Contests', 'Endorsements']} numbersFrom=${4} empty="There is no such election." />`,
    });
  }),
  definePage('/console/explorer/elections/{slug}', 'member', async (request, context) => {
    const slug = request.path.slug ?? '';
    const query = chooseQuery(request.query, ['levels', 'contest_kinds', 'lang', 'cursor']);
    query.set('elections', slug);
    query.set('limit', '50');
    const question = { path: '/v1/contests', query };
    const { body, problem } = await ask<List<Contest>>(request, context, question);
    const contests = body?.data ?? [];
    const isEmpty = problem === null && contests.length === 0;
    const name = isEmpty
      ? await findElectionName(context.pool, slug, query.get('lang') === 'es' ? 'es' : 'en')
      : contests[0]?.election.name;
    if (name === null) throw new PageError(404, `There is no election ${slug}.`);
    const isPart = ['levels', 'contest_kinds', 'cursor'].some((field) => query.has(field));
    return showExplorer(request, {
      title: name ?? 'Election',
      isBallotTitle: name !== undefined,
      tab: '/console/explorer',
      question,
      problem,
      body: html`
        ${isEmpty && html`<p>${isPart ? 'This election has no such contest.' : 'This election has no contests yet.'}</p>`}
        ${[...Map.groupBy(contests, groupOf)].map(
          ([group, ofGroup]) => html`
          <h2>${group}</h2>
          ${ofGroup.map((item) => html`<${ListedContest} item=${item} />`)}`,
        )}
        <${NextPage} request=${request} cursor=${body?.next_cursor ?? null} />`,
    });
  }),
  definePage('/console/explorer/contests/{id}', 'member', async (request, context) => {
    const query = chooseQuery(request.query, ['categories', 'endorsers', 'endorser_states', 'lang']);
    const question = { path: '/v1/contests/{id}', parameters: { id: request.path.id ?? '' }, query };
    const { body, problem } = await ask<{ data: Static<typeof contestWithPositions> }>(
      request,
      context,
      question,
    );
    const contest = body?.data;
    const tally = contest ? await loadTally(request, context, contest.id) : null;
    return showExplorer(request, {
      title: contest?.title ?? 'Contest',
      isBallotTitle: contest !== undefined,
      tab: '/console/explorer',
      question,
      problem,
      body:
        contest &&
        html`
          <p>
            <${ExplorerLink} href=${`/console/explorer/elections/${encodeURIComponent(contest.election.slug)}`}><${BallotText}>${contest.election.name}<//><//>,
            ${' '}<${Day}>${contest.election.date}<//> · <${BallotText}>${contest.district.name}<//> · ${describeVote(contest)}
          </p>
          ${contest.description && html`<p><${BallotText}>${contest.description}<//></p>`}
          ${mayUse(request.session.role, 'editor') && html`<p><a href=${`/console/endorsements/${contest.id}`}>Take a position</a></p>`}
          ${tally && tally.recommendation.endorser_count > 0 && html`<${Tally} contest=${tally} />`}
          <h2>Choices</h2>
          <${Choices} items=${contest.choices} />
          ${
            contest.endorsements.length === 0
              ? html`<p>No endorser has taken a position.</p>`
              : html`
            <${Table} caption=${`Positions of ${number.format(contest.endorsements.length)} endorsers`} head=${['Endorser', 'Category', 'Picks', 'Statement', 'History']}>
              <${InTurns} items=${contest.endorsements.slice(0, MAX_POSITIONS)} each=${(position: Position) => html`<${PositionRow} position=${position} contest=${contest} />`} />
            <//>
            ${contest.endorsements.length > MAX_POSITIONS && html`<p>These are the first ${MAX_POSITIONS}; the answer as JSON has all of them.</p>`}`
          }`,
    });
  }),
];
