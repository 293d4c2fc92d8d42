import { endorser, endorserWithElections } from '../../schemas/http/endorsers.ts';
import { page, single } from '../../schemas/http/envelopes.ts';
import { endorserFilters, lang, paging, slug } from '../../schemas/http/parameters.ts';
import { describeListing } from '../../schemas/page-cursor.ts';
import { findEndorser, listEndorsers } from '../../store/reads/endorsers.ts';
import { ApiError } from '../http/api-error.ts';
import { readPageState, renderPage, slugsOf } from '../selection/page.ts';
import { defineRoute } from './define-route.ts';

export const endorsersRoute = defineRoute({
  method: 'GET',
  path: '/v1/endorsers',
  operationId: 'listEndorsers',
  tag: 'Endorsers',
  summary: 'List endorsers',
  description: 'Endorsers by name. Case and accents do not count.',
  scope: 'data:read',
  query: { ...endorserFilters, lang, ...paging },
  shows: ['catalogue', 'endorsements'],
  response: page(endorser),
  async handle({ query }, { pool }) {
    const { limit, cursor, lang: language, ...filters } = query;
    const listing = describeListing('endorsers', query);
    const after = readPageState(listing, cursor, ['string', 'number']);
    const found = await listEndorsers(pool, { filters, lang: language, after, limit });
    // The filter `elections` also looks at endorsements.
    const { elections } = query;
    const scope = [{ endorsers: slugsOf(found) }, ...(elections ? [{ elections }] : [])];
    return { json: renderPage(listing, found), scope };
  },
});

export const endorserRoute = defineRoute({
  method: 'GET',
  path: '/v1/endorsers/{slug}',
  operationId: 'getEndorser',
  tag: 'Endorsers',
  summary: 'Get an endorser',
  description: 'One endorser, with the elections it has endorsed in.',
  scope: 'data:read',
  parameters: { slug },
  query: { lang },
  errors: ['not_found'],
  shows: ['catalogue', 'endorsements'],
  response: single(endorserWithElections),
  async handle({ path, query }, { pool }) {
    const record = await findEndorser(pool, path.slug, query.lang);
    if (record === null) throw new ApiError('not_found', `There is no endorser ${path.slug}.`);
    return { json: `{"data":${record}}`, scope: [{ endorsers: [path.slug] }] };
  },
});
