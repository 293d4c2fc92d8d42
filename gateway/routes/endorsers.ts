import { endorserFilters, lang, paging, slug } from '../../schemas/http/parameters.ts';
import { endorser, endorserWithElections, page, single } from '../../schemas/http/records.ts';
import { describeListing } from '../../schemas/page-cursor.ts';
import { findEndorser, listEndorsers } from '../../store/reads/endorsers.ts';
import { ApiError } from '../http/api-error.ts';
import { readPageState, renderPage } from '../selection/page.ts';
import { defineRoute } from './define-route.ts';

export const endorsersRoute = defineRoute({
  method: 'GET',
  path: '/v1/endorsers',
  summary: 'Endorsers by name.',
  scope: 'data:read',
  query: { ...endorserFilters, lang, ...paging },
  shows: ['catalogue', 'endorsements'],
  response: page(endorser),
  async handle({ query }, { pool }) {
    const { limit, cursor, lang: language, ...filters } = query;
    const listing = describeListing('endorsers', query);
    const after = readPageState(listing, cursor, ['string', 'number']);
    const found = await listEndorsers(pool, { filters, lang: language, after, limit });
    return { json: renderPage(listing, found) };
  },
});

export const endorserRoute = defineRoute({
  method: 'GET',
  path: '/v1/endorsers/{slug}',
  summary: 'One endorser, with the elections it has endorsed in.',
  scope: 'data:read',
  parameters: { slug },
  query: { lang },
  shows: ['catalogue', 'endorsements'],
  response: single(endorserWithElections),
  async handle({ path, query }, { pool }) {
    const record = await findEndorser(pool, path.slug, query.lang);
    if (record === null) throw new ApiError('not_found', `There is no endorser ${path.slug}.`);
    return { json: `{"data":${record}}` };
  },
});
