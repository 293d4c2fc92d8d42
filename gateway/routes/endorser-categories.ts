import { endorserCategory } from '../../schemas/http/endorsers.ts';
import { wholeList } from '../../schemas/http/envelopes.ts';
import { lang } from '../../schemas/http/parameters.ts';
import { listEndorserCategories } from '../../store/reads/endorser-categories.ts';
import { defineRoute } from './define-route.ts';

export const endorserCategoriesRoute = defineRoute({
  method: 'GET',
  path: '/v1/endorser-categories',
  operationId: 'listEndorserCategories',
  tag: 'Endorsers',
  summary: 'List endorser categories',
  description: 'Every category of endorsers.',
  scope: 'data:read',
  query: { lang },
  shows: ['catalogue'],
  response: wholeList(endorserCategory),
  handle: async ({ query }, { pool }) => ({
    json: `{"data":[${await listEndorserCategories(pool, query.lang)}]}`,
  }),
});
