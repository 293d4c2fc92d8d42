import { state, wholeList } from '../../schemas/http/records.ts';
import { listStates } from '../../store/reads/states.ts';
import { defineRoute } from './define-route.ts';

export const statesRoute = defineRoute({
  method: 'GET',
  path: '/v1/states',
  summary: 'Every state, D.C. and the territories.',
  scope: 'data:read',
  query: {},
  shows: ['catalogue'],
  response: wholeList(state),
  handle: async (_request, { pool }) => ({ json: `{"data":[${await listStates(pool)}]}` }),
});
