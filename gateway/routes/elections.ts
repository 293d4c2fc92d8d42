import { election } from '../../schemas/http/elections.ts';
import { page } from '../../schemas/http/envelopes.ts';
import { electionFilters, lang, paging } from '../../schemas/http/parameters.ts';
import { describeListing } from '../../schemas/page-cursor.ts';
import { listElections } from '../../store/reads/elections.ts';
import { readPageState, renderPage, slugsOf } from '../selection/page.ts';
import { withElectionsFrom } from '../selection/upcoming.ts';
import { defineRoute } from './define-route.ts';

export const electionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/elections',
  operationId: 'listElections',
  tag: 'Elections',
  summary: 'List elections',
  description: 'Elections by date, then by slug.',
  scope: 'data:read',
  query: { ...electionFilters, lang, ...paging },
  shows: ['catalogue', 'endorsements'],
  response: page(election),
  async handle({ query }, context) {
    const { limit, cursor, lang: language, ...filters } = query;
    const listing = describeListing('elections', query);
    const found = await listElections(context.pool, {
      filters: withElectionsFrom(filters, context),
      lang: language,
      after: readPageState(listing, cursor, ['date', 'string']),
      limit,
    });
    return { json: renderPage(listing, found), scope: [{ elections: slugsOf(found) }] };
  },
});
