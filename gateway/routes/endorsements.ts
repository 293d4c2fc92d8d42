import { formatCursor, InvalidCursorError } from '../../schemas/cursor.ts';
import { text } from '../../schemas/http/json-schema.ts';
import { endorsementFilters, lang, paging } from '../../schemas/http/parameters.ts';
import { flatEndorsement, page } from '../../schemas/http/records.ts';
import { formatPageCursor, parsePageCursor } from '../../schemas/page-cursor.ts';
import { listEndorsements } from '../../store/endorsements.ts';
import { ApiError } from '../api-error.ts';
import { defineRoute } from '../route.ts';
import { upcomingFrom } from '../upcoming.ts';

const LIST = 'endorsements';

/** Where a page begins: after which id, and which stream position the first page of the listing showed. */
interface PageStart {
  afterId: number;
  streamCursor: string | null;
}

function readPageCursor(cursor: string | undefined): PageStart {
  if (cursor === undefined) return { afterId: 0, streamCursor: null };
  try {
    const [afterId, streamCursor] = parsePageCursor(LIST, cursor);
    if (typeof afterId === 'number' && typeof streamCursor === 'string') return { afterId, streamCursor };
    throw new InvalidCursorError('it does not have the form of one');
  } catch (error) {
    if (!(error instanceof InvalidCursorError)) throw error;
    const message = `cursor is no cursor of this list: ${error.message}. Send the next_cursor of the page before.`;
    throw new ApiError('invalid_parameter', message);
  }
}

export const endorsementsRoute = defineRoute({
  method: 'GET',
  path: '/v1/endorsements',
  summary:
    'Endorsements by id. Paging to the end and then reading the stream from stream_cursor gives an exact copy.',
  scope: 'data:read',
  query: { ...endorsementFilters, lang, ...paging },
  response: page(flatEndorsement, { stream_cursor: text }),
  async handle({ query }, { pool, clock, config }) {
    const { upcoming, limit, cursor, lang: language, ...filters } = query;
    const { afterId, streamCursor } = readPageCursor(cursor);
    const readAt = clock.now();
    const { items, lastId, hasMore, stream } = await listEndorsements(pool, {
      filters: { ...filters, electionsFrom: upcoming ? upcomingFrom(clock, config.today) : undefined },
      lang: language,
      afterId,
      limit,
    });
    const stream_cursor = streamCursor ?? formatCursor({ ...stream, time: readAt });
    const next_cursor = hasMore ? formatPageCursor(LIST, [lastId, stream_cursor]) : null;
    const tail = JSON.stringify({ next_cursor, stream_cursor });
    return { json: `{"data":[${items}],${tail.slice(1)}` };
  },
});
