import { wholeList } from '../../schemas/http/envelopes.ts';
import { state } from '../../schemas/http/states.ts';
import { listStates } from '../../store/reads/states.ts';
import { defineRoute } from './define-route.ts';

export const statesRoute = defineRoute({
  method: 'GET',
  path: '/v1/states',
  operationId: 'listStates',
  tag: 'States',
  summary: 'List states',
  description: 'Every state, D.C. and the territories, by USPS code.',
  scope: 'data:read',
  shows: ['catalogue'],
  response: wholeList(state),
  handle: async (_request, { pool }) => ({ json: `{"data":[${await listStates(pool)}]}` }),
});
