import { page, single } from '../../schemas/http/envelopes.ts';
import {
  officeholder,
  officeholderFilters,
  officeholderLang,
  officeholderWithSeats,
  personId,
} from '../../schemas/http/officeholders.ts';
import { paging } from '../../schemas/http/parameters.ts';
import { describeListing } from '../../schemas/page-cursor.ts';
import { findOfficeholder, listOfficeholders } from '../../store/reads/officeholders.ts';
import { ApiError, createUnavailableError } from '../http/api-error.ts';
import { readPageState, renderPage } from '../selection/page.ts';
import { defineRoute } from './define-route.ts';

const RETRY_AFTER_SECONDS = 300;

/** Before the first load, an empty answer would mean that nobody holds office (contract, "Errors"). */
const refuseUnloaded = (): ApiError =>
  createUnavailableError(
    'not_available',
    'Officeholders are not available yet: they have never been loaded into this service. Try again later.',
    RETRY_AFTER_SECONDS,
  );

export const officeholdersRoute = defineRoute({
  method: 'GET',
  path: '/v1/officeholders',
  operationId: 'listOfficeholders',
  tag: 'Officeholders',
  summary: 'List officeholders',
  description:
    'Officeholders by name. A record is a person, with the first seat that matches states, offices, levels and districts; one seat must match all of them.',
  scope: 'data:read',
  query: { ...officeholderFilters, lang: officeholderLang, ...paging },
  errors: ['not_available'],
  shows: ['catalogue', 'officeholders'],
  response: page(officeholder),
  async handle({ query }, { pool }) {
    const { limit, cursor, lang: _, ...filters } = query;
    const listing = describeListing('officeholders', query);
    const after = readPageState(listing, cursor, ['string', 'personId']);
    const found = await listOfficeholders(pool, { filters, after, limit });
    if (!found) throw refuseUnloaded();
    return { json: renderPage(listing, found) };
  },
});

export const officeholderRoute = defineRoute({
  method: 'GET',
  path: '/v1/officeholders/{id}',
  operationId: 'getOfficeholder',
  tag: 'Officeholders',
  summary: 'Get an officeholder',
  description:
    'One officeholder, with every seat held, the highest first. People who have left office are not kept.',
  scope: 'data:read',
  parameters: { id: personId },
  query: { lang: officeholderLang },
  errors: ['not_found', 'not_available'],
  shows: ['catalogue', 'officeholders'],
  response: single(officeholderWithSeats),
  async handle({ path: { id } }, { pool }) {
    const found = await findOfficeholder(pool, id);
    if (!found) throw refuseUnloaded();
    if (found.record === null) {
      throw new ApiError(
        'not_found',
        `There is no officeholder ${id}. People who have left office are not kept.`,
      );
    }
    return { json: `{"data":${found.record}}` };
  },
});
