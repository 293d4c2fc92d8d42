import { lang, subscription } from '../../../schemas/http/parameters.ts';
import { recommendationParameters, recommendations } from '../../../schemas/http/recommendations.ts';
import { LargeBallotsError } from '../../../store/reads/ballots.ts';
import { BodyTooLargeError, BodyWriter } from '../../ballots/body-writer.ts';
import { ApiError } from '../../http/api-error.ts';
import { upcomingFrom } from '../../selection/upcoming.ts';
import { defineRoute } from '../define-route.ts';
import { writeElections } from './render.ts';
import { readSelection, selectBallots } from './selection.ts';

/** A recommendation for as many named contests takes no turn. */
const FEW_CONTESTS = 20;
/** The largest answer: three times that of California with a million endorsements in the country. */
const MAX_MEGABYTES = 64;

export const recommendationsRoute = defineRoute({
  method: 'GET',
  path: '/v1/recommendations',
  operationId: 'getRecommendations',
  tag: 'Recommendations',
  summary: 'Get recommendations',
  description:
    'The choices to mark in each contest according to the chosen endorsers, and the agreement of these. One of `state`, `election` and `contest` is required. Without a selection of endorsers, all of them count. An answer of more than 64 MB, or one about an election whose endorsements have more, is refused (`invalid_parameter`).',
  scope: 'data:read',
  query: { subscription, ...recommendationParameters, lang },
  errors: ['subscription_not_found'],
  shows: ['catalogue', 'endorsements'],
  response: recommendations,
  // A state or an election can have thousands of contests.
  turns: ({ contest }, { largeAnswers }) =>
    contest !== undefined && contest.length <= FEW_CONTESTS ? null : largeAnswers,
  async handle({ query, caller, closed }, { pool, loadState, ballots, clock, config }) {
    const { state, election, contest, levels, contest_kinds, only_endorsed, lang: language } = query;
    if (!(state ?? election ?? contest)) {
      const message =
        'Recommendations are for chosen contests: one of state, election and contest is required.';
      throw new ApiError('invalid_parameter', message);
    }
    const { shown, endorsers, narrowing } = await readSelection(query, caller.accountId, pool);
    // A state alone means its upcoming elections; a named election or contest may be in the past.
    const electionsFrom = (election ?? contest) ? undefined : upcomingFrom(clock, config.today);
    const asked = {
      states: state,
      elections: election,
      contests: contest,
      levels,
      contest_kinds,
      electionsFrom,
    };
    const scope = {
      states: state ?? null,
      elections: election ?? null,
      contests: contest ?? null,
      levels: levels ?? null,
      contest_kinds: contest_kinds ?? null,
      only_endorsed: only_endorsed ?? null,
    };
    const head = JSON.stringify({ scope, endorsers: shown });
    const writer = new BodyWriter(MAX_MEGABYTES * 1024 * 1024);
    writer.text(`{"data":${head.slice(0, -1)},"elections":[`);
    const selection = {
      ...selectBallots([asked, narrowing], endorsers),
      onlyEndorsed: only_endorsed === true,
    };
    const request = { pool, state: await loadState(), lang: language };
    const finish = async () => {
      const found = contest
        ? await ballots.ofContests(request, contest)
        : ballots.ofElections(request, selection.hasElection);
      await writeElections(writer, found, selection, closed);
      writer.text(']}}');
      return writer.finish();
    };
    const json = await finish().catch(refuseTooLarge);
    const { electionsFrom: _, ...contests } = asked;
    return { json, scope: [{ ...contests, ...endorsers }] };
  },
});

/** @throws ApiError invalid_parameter if the body or the ballots were too large, and the error otherwise */
function refuseTooLarge(error: unknown): never {
  const tooLarge =
    (error instanceof BodyTooLargeError && 'The answer has') ||
    (error instanceof LargeBallotsError && 'The endorsements of an election or of these contests have');
  if (!tooLarge) throw error;
  const message = `${tooLarge} more than ${MAX_MEGABYTES} MB; ask for fewer states, elections or contests at a time.`;
  throw new ApiError('invalid_parameter', message);
}
