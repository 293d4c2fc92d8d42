import type { Static } from 'typebox';
import type { recommendations } from '../../../schemas/http/recommendations.ts';
import { Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';
import type { PageRequest } from '../page.ts';
import { ChoiceName } from './contest-parts.ts';
import { ask, chooseQuery } from './question.ts';

type Recommendations = Static<typeof recommendations>['data'];
type RecommendedContest = Recommendations['elections'][number]['contests'][number];

export const AGREEMENT: Readonly<Record<RecommendedContest['recommendation']['agreement'], string>> = {
  unanimous: 'All agree',
  majority: 'Most agree',
  plurality: 'Leads without a majority',
  split: 'Split',
  none: 'No position',
};

/** What /v1/recommendations says about a contest, for the endorsers that a page has chosen; null without an answer. */
export async function loadTally(
  request: PageRequest,
  context: ConsoleContext,
  contestId: number,
): Promise<RecommendedContest | null> {
  const query = chooseQuery(request.query, ['categories', 'endorsers', 'endorser_states', 'lang']);
  query.set('contest', String(contestId));
  const { body } = await ask<{ data: Recommendations }>(request, context, {
    path: '/v1/recommendations',
    query,
  });
  return body?.data.elections[0]?.contests[0] ?? null;
}

/** The backers of each choice, as numbers and bars, and the choices to mark. */
export function Tally({ contest }: { contest: RecommendedContest }): Html {
  const { choice_ids: marked, agreement, endorser_count: all } = contest.recommendation;
  return html`
    <h2>Tally</h2>
    <p>${AGREEMENT[agreement]} · ${number.format(all)} ${all === 1 ? 'endorser' : 'endorsers'} took a position</p>
    <${Table} caption="Endorsers by choice" head=${['Choice', 'Endorsers', 'Share', 'To mark']} numbersFrom=${1} numbersTo=${1}>
      ${contest.choices.map((choice) => {
        const backers = choice.endorsed_by.length;
        const place = marked.indexOf(choice.id);
        return html`
        <tr>
          <th scope="row"><${ChoiceName} item=${choice} /></th>
          <td class="number">${number.format(backers)}</td>
          <td><meter min="0" max=${Math.max(1, all)} value=${backers} aria-label=${`${backers} of ${all}`}></meter></td>
          <td>${place === -1 ? '' : contest.vote_method === 'ranked_choice' ? `as number ${place + 1}` : 'yes'}</td>
        </tr>`;
      })}
    <//>`;
}
