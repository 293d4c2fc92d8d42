import { wholeList } from '../../schemas/http/envelopes.ts';
import { upcomingByDefault } from '../../schemas/http/parameters.ts';
import { coverage } from '../../schemas/http/states.ts';
import { listCoverage } from '../../store/reads/coverage.ts';
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
  async handle({ query }, { pool, clock, config }) {
    const items = await listCoverage(pool, query.upcoming ? upcomingFrom(clock, config.today) : undefined);
    return { json: `{"data":[${items}]}` };
  },
});
