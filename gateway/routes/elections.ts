import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import { electionFilters, lang, paging } from '../../schemas/http/parameters.ts';
import { election, page } from '../../schemas/http/records.ts';
import { listElections } from '../../store/reads/elections.ts';
import { ApiError } from '../http/api-error.ts';
import { readPageState, renderPage } from '../selection/page.ts';
import { upcomingFrom } from '../selection/upcoming.ts';
import { defineRoute } from './define-route.ts';

const LIST = 'elections';

export const electionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/elections',
  summary: 'Elections by date.',
  scope: 'data:read',
  query: { ...electionFilters, lang, ...paging },
  shows: ['catalogue', 'endorsements'],
  response: page(election),
  async handle({ query }, { pool, clock, config }) {
    const { upcoming, limit, cursor, lang: language, ...filters } = query;
    const after = readPageState(LIST, cursor, ['string', 'string']);
    // A forged cursor with a valid checksum can hold any text as the date.
    if (after && !isCalendarDate(String(after[0])))
      throw new ApiError('invalid_parameter', 'cursor is not a cursor of this list: it has no date.');
    const found = await listElections(pool, {
      filters: { ...filters, electionsFrom: upcoming ? upcomingFrom(clock, config.today) : undefined },
      lang: language,
      after,
      limit,
    });
    return { json: renderPage(LIST, found) };
  },
});
