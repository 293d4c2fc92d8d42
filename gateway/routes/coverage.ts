import { wholeList } from '../../schemas/http/envelopes.ts';
import { upcomingByDefault } from '../../schemas/http/parameters.ts';
import { coverage } from '../../schemas/http/states.ts';
import { upcomingFrom } from '../selection/upcoming.ts';
import { defineRoute } from './define-route.ts';

export const coverageRoute = defineRoute({
  method: 'GET',
  path: '/v1/coverage',
  operationId: 'getCoverage',
  tag: 'States',
  summary: 'Get coverage',
  description: 'The available data for every state, and when it last changed.',
  scope: 'data:read',
  query: { upcoming: upcomingByDefault },
  shows: ['catalogue', 'endorsements'],
  response: wholeList(coverage),
  async handle({ query }, { pool, loadState, coverage: kept, clock, config }) {
    const electionsFrom = query.upcoming ? upcomingFrom(clock, config.today) : undefined;
    const items = await kept.of(pool, electionsFrom).at(await loadState());
    return { json: `{"data":[${items}]}` };
  },
});
