import { formatCursor, InvalidCursorError, parseCursor } from '../../schemas/cursor.ts';
import { listedEndorsement, streamCursor } from '../../schemas/http/endorsements.ts';
import { page } from '../../schemas/http/envelopes.ts';
import { after, endorsementFilters, lang, paging } from '../../schemas/http/parameters.ts';
import { describeListing } from '../../schemas/page-cursor.ts';
import { listEndorsements, selectEndorsements } from '../../store/reads/endorsements.ts';
import type { StreamPoint } from '../../store/reads/stream-points.ts';
import { ReplicaBehindError } from '../replicas/read-replicas.ts';
import { readPageState, renderPage } from '../selection/page.ts';
import { withElectionsFrom } from '../selection/upcoming.ts';
import { defineRoute } from './define-route.ts';

/** Whether a page shows less than the stream cursor of its first page, which came from another server. */
function isBehind({ epoch, sequence }: StreamPoint, carried: string): boolean {
  try {
    const first = parseCursor(carried);
    return epoch < first.epoch || (epoch === first.epoch && sequence < first.sequence);
  } catch (error) {
    // The page cursor was forged. Its stream cursor is useless.
    if (error instanceof InvalidCursorError) return false;
    throw error;
  }
}

export const endorsementsRoute = defineRoute({
  method: 'GET',
  path: '/v1/endorsements',
  operationId: 'listEndorsements',
  tag: 'Endorsements',
  summary: 'List endorsements',
  description:
    'Endorsements by id. Paging to the end and then reading the stream from `stream_cursor` gives an exact copy. Begin like this, and recover like this from an expired cursor.',
  scope: 'data:read',
  query: { ...endorsementFilters, lang, ...paging },
  lines: {
    query: { ...endorsementFilters, lang, after },
    record: listedEndorsement,
    select: ({ after, lang: language, ...filters }, context) =>
      selectEndorsements(withElectionsFrom(filters, context), language, after),
  },
  shows: ['catalogue', 'endorsements'],
  response: page(listedEndorsement, { stream_cursor: streamCursor }),
  async handle({ query }, context) {
    const { pool, isReplica, clock } = context;
    const { limit, cursor, lang: language, ...filters } = query;
    const listing = describeListing('endorsements', query);
    // The state is the last id, and the stream cursor of the first page, which all further pages repeat.
    const state = readPageState(listing, cursor, ['number', 'string']);
    const readAt = clock.now();
    const { stream, ...found } = await listEndorsements(pool, {
      filters: withElectionsFrom(filters, context),
      lang: language,
      after: state?.slice(0, 1) ?? null,
      limit,
    });
    const carried = state?.[1] as string | undefined;
    // The stream continues after the first page's cursor, so further pages must show all before it.
    if (isReplica && carried !== undefined && isBehind(stream, carried)) throw new ReplicaBehindError();
    const stream_cursor = carried ?? formatCursor({ ...stream, time: readAt });
    const { contest, upcoming: _, ...facets } = filters;
    return {
      json: renderPage(listing, found, stream_cursor),
      scope: [{ ...facets, ...(contest !== undefined && { contests: [contest] }) }],
    };
  },
});
