import type { Static } from 'typebox';
import type { recommendations } from '../../../schemas/http/recommendations.ts';
import { LEVELS } from '../../../schemas/vocabulary.ts';
import { Day, Select } from '../components.ts';
import { BallotText } from '../explorer/ballot-text.ts';
import { ChoiceName, ContestHeading, groupOf } from '../explorer/contest-parts.ts';
import { LanguageField, StateField, showExplorer } from '../explorer/frame.ts';
import { ask, chooseQuery } from '../explorer/question.ts';
import { AGREEMENT } from '../explorer/tally.ts';
import { loadCategories } from '../filter/filter-fields.ts';
import { type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { definePage } from '../page.ts';

type Guide = Static<typeof recommendations>['data'];
type GuideElection = Guide['elections'][number];
type GuideContest = GuideElection['contests'][number];

const TAB = '/console/explorer/guide';
/** A whole state's ballot is too long to read on one page. */
const MAX_CONTESTS = 50;
const MAX_BACKERS = 8;

/** The choices to mark, in order, or the reason why there are none. */
function Mark({ contest }: { contest: GuideContest }): Html {
  const { choice_ids, agreement, endorser_count } = contest.recommendation;
  const choices = new Map(contest.choices.map((choice) => [choice.id, choice]));
  const marked = choice_ids.flatMap((id) => choices.get(id) ?? []);
  const isRanking = contest.vote_method === 'ranked_choice';
  const list = marked.map((choice) => html`<li><${ChoiceName} item=${choice} /></li>`);
  return html`
    <div class="mark">
      ${marked.length > 0 && (isRanking ? html`<ol>${list}</ol>` : html`<ul>${list}</ul>`)}
      <p class="muted">${AGREEMENT[agreement]}${endorser_count > 0 && ` · ${endorser_count} of the chosen took a position`}</p>
    </div>`;
}

function Backers({ contest }: { contest: GuideContest }): Html | null {
  const backed = contest.choices.filter(({ endorsed_by }) => endorsed_by.length > 0);
  if (backed.length === 0) return null;
  return html`
    <details>
      <summary aria-label=${`All positions: ${contest.title}`}>All positions</summary>
      <ul>
        ${backed.map((choice) => {
          const names = choice.endorsed_by.map(
            ({ endorser, rank }) => `${isolateName(endorser.name)}${rank === null ? '' : ` (${rank})`}`,
          );
          const more = names.length - MAX_BACKERS;
          return html`<li><${ChoiceName} item=${choice} />: ${names.slice(0, MAX_BACKERS).join(', ')}${more > 0 && ` and ${more} more`}</li>`;
        })}
      </ul>
    </details>`;
}

function GuideOfElection(props: { election: GuideElection; contests: readonly GuideContest[] }): Html {
  const { election, contests } = props;
  return html`
    <h2><${BallotText}>${election.name}<//>, <${Day}>${election.date}<//></h2>
    ${[...Map.groupBy(contests, groupOf)].map(
      ([group, ofGroup]) => html`
      <h3>${group}</h3>
      ${ofGroup.map(
        (contest) => html`
        <section class="contest">
          <${ContestHeading} item=${contest} />
          <${Mark} contest=${contest} />
          <${Backers} contest=${contest} />
        </section>`,
      )}`,
    )}`;
}

/** The first contests of a guide, by election, and the total. */
function cut({ elections }: Guide): {
  parts: { election: GuideElection; contests: GuideContest[] }[];
  total: number;
} {
  let left = MAX_CONTESTS;
  const parts = elections.map((election) => {
    const contests = election.contests.slice(0, Math.max(0, left));
    left -= contests.length;
    return { election, contests };
  });
  return {
    parts: parts.filter(({ contests }) => contests.length > 0),
    total: elections.reduce((sum, { contests }) => sum + contests.length, 0),
  };
}

/** A state's recommendations by chosen endorsers, as a voter guide shows them. */
export const explorerGuidePages = [
  definePage(TAB, 'member', async (request, context) => {
    const query = chooseQuery(request.query, ['state', 'categories', 'endorsers', 'levels', 'lang']);
    if (!query.has('state')) query.set('state', 'CA');
    query.set('only_endorsed', 'true');
    const question = { path: '/v1/recommendations', query };
    const categories = await loadCategories(request, context);
    const { body, problem } = await ask<{ data: Guide }>(request, context, question);
    const chosen = (query.get('categories') ?? '').split(',');
    const guide = body && cut(body.data);
    return showExplorer(request, {
      title: 'Voter guide',
      tab: TAB,
      question,
      problem,
      body: html`
        <p>Choose the endorsers that you trust. The guide shows the choices to mark, as your own product would.</p>
        <form class="filters" method="get">
          <${StateField} name="state" value=${query.get('state')} />
          <${Select} label="Part of the ballot" name="levels" options=${LEVELS.map((level) => [level, level])} chosen=${query.get('levels')} none="All of it" />
          <${LanguageField} value=${query.get('lang')} />
          <fieldset class="wide">
            <legend>Kinds of endorsers <small>none: all of them</small></legend>
            ${categories.map(
              ({ value, label }) =>
                html`<label class="check"><input type="checkbox" name="categories" value=${value} checked=${chosen.includes(value)} /> ${label}</label>`,
            )}
          </fieldset>
          <label class="wide">Or single endorsers <input name="endorsers" value=${query.get('endorsers')} placeholder="slugs, with commas between" /></label>
          <button>Show the guide</button>
        </form>
        ${guide && guide.total === 0 && html`<p>None of the chosen endorsers took a position in an upcoming contest there.</p>`}
        ${guide?.parts.map((part) => html`<${GuideOfElection} ...${part} />`)}
        ${guide && guide.total > MAX_CONTESTS && html`<p>These are the first ${MAX_CONTESTS} of ${guide.total} contests. Narrow the guide to a part of the ballot to see others.</p>`}`,
    });
  }),
];
