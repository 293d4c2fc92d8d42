import { lang } from '../../schemas/http/parameters.ts';
import { endorserCategory, wholeList } from '../../schemas/http/records.ts';
import { listEndorserCategories } from '../../store/reads/endorser-categories.ts';
import { defineRoute } from './define-route.ts';

export const endorserCategoriesRoute = defineRoute({
  method: 'GET',
  path: '/v1/endorser-categories',
  summary: 'Every endorser category.',
  scope: 'data:read',
  query: { lang },
  shows: ['catalogue'],
  response: wholeList(endorserCategory),
  handle: async ({ query }, { pool }) => ({
    json: `{"data":[${await listEndorserCategories(pool, query.lang)}]}`,
  }),
});
