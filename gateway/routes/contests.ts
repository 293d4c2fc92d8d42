import { contest, contestWithPositions } from '../../schemas/http/contests.ts';
import { page, single } from '../../schemas/http/envelopes.ts';
import { after, contestFilters, id, lang, paging, positionFilters } from '../../schemas/http/parameters.ts';
import { describeListing } from '../../schemas/page-cursor.ts';
import { findContest, listContests, selectContests } from '../../store/reads/contests.ts';
import { ApiError } from '../http/api-error.ts';
import { readPageState, renderPage } from '../selection/page.ts';
import { withElectionsFrom } from '../selection/upcoming.ts';
import { defineRoute } from './define-route.ts';

export const contestsRoute = defineRoute({
  method: 'GET',
  path: '/v1/contests',
  operationId: 'listContests',
  tag: 'Contests',
  summary: 'List contests',
  description:
    'Contests with their choices and voting rules, by election: federal, then state, then local ones, in ballot order.',
  scope: 'data:read',
  query: { ...contestFilters, lang, ...paging },
  lines: {
    query: { ...contestFilters, lang, after },
    record: contest,
    select: ({ after, lang: language, ...filters }, context) =>
      selectContests(withElectionsFrom(filters, context), language, after),
  },
  shows: ['catalogue'],
  response: page(contest),
  async handle({ query }, context) {
    const { limit, cursor, lang: language, ...filters } = query;
    const listing = describeListing('contests', query);
    const found = await listContests(context.pool, {
      filters: withElectionsFrom(filters, context),
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
  operationId: 'getContest',
  tag: 'Contests',
  summary: 'Get a contest',
  description:
    "One contest, with every endorser's position in it. Filters choose the endorsers that are shown.",
  scope: 'data:read',
  parameters: { id },
  query: { ...positionFilters, lang },
  errors: ['not_found'],
  shows: ['catalogue', 'endorsements'],
  response: single(contestWithPositions),
  async handle({ path, query }, { pool }) {
    const { lang: language, ...filters } = query;
    const record = await findContest(pool, { id: path.id, filters, lang: language });
    if (record === null) throw new ApiError('not_found', `There is no contest ${path.id}.`);
    return { json: `{"data":${record}}`, scope: [{ ...filters, contests: [path.id] }] };
  },
});
