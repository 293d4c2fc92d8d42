import { contestFilters, id, lang, paging, positionFilters } from '../../schemas/http/parameters.ts';
import { contest, contestWithPositions, page, single } from '../../schemas/http/records.ts';
import { describeListing } from '../../schemas/page-cursor.ts';
import { findContest, listContests } from '../../store/reads/contests.ts';
import { ApiError } from '../http/api-error.ts';
import { readPageState, renderPage } from '../selection/page.ts';
import { upcomingFrom } from '../selection/upcoming.ts';
import { defineRoute } from './define-route.ts';

export const contestsRoute = defineRoute({
  method: 'GET',
  path: '/v1/contests',
  summary:
    'Contests with their choices and voting rules, by election: federal, then state, then local ones, in ballot order.',
  scope: 'data:read',
  query: { ...contestFilters, lang, ...paging },
  shows: ['catalogue'],
  response: page(contest),
  async handle({ query }, { pool, clock, config }) {
    const { upcoming, limit, cursor, lang: language, ...filters } = query;
    const listing = describeListing('contests', query);
    const found = await listContests(pool, {
      filters: { ...filters, electionsFrom: upcoming ? upcomingFrom(clock, config.today) : undefined },
      lang: language,
      after: readPageState(listing, cursor, ['date', 'string', 'number', 'number', 'number']),
      limit,
    });
    return { json: renderPage(listing, found) };
  },
});

export const contestRoute = defineRoute({
  method: 'GET',
  path: '/v1/contests/{id}',
  summary: "One contest, with every endorser's position.",
  scope: 'data:read',
  parameters: { id },
  query: { ...positionFilters, lang },
  shows: ['catalogue', 'endorsements'],
  response: single(contestWithPositions),
  async handle({ path, query }, { pool }) {
    const { lang: language, ...filters } = query;
    const record = await findContest(pool, { id: path.id, filters, lang: language });
    if (record === null) throw new ApiError('not_found', `There is no contest ${path.id}.`);
    return { json: `{"data":${record}}` };
  },
});
