import { electionFilters, lang, paging } from '../../schemas/http/parameters.ts';
import { election, page } from '../../schemas/http/records.ts';
import { describeListing } from '../../schemas/page-cursor.ts';
import { listElections } from '../../store/reads/elections.ts';
import { readPageState, renderPage } from '../selection/page.ts';
import { upcomingFrom } from '../selection/upcoming.ts';
import { defineRoute } from './define-route.ts';

export const electionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/elections',
  summary: 'Elections by date.',
  scope: 'data:read',
  query: { ...electionFilters, lang, ...paging },
  shows: ['catalogue', 'endorsements'],
  response: page(election),
  async handle({ query }, { pool, clock, config }) {
    const { upcoming, limit, cursor, lang: language, ...filters } = query;
    const listing = describeListing('elections', query);
    const found = await listElections(pool, {
      filters: { ...filters, electionsFrom: upcoming ? upcomingFrom(clock, config.today) : undefined },
      lang: language,
      after: readPageState(listing, cursor, ['date', 'string']),
      limit,
    });
    return { json: renderPage(listing, found) };
  },
});
