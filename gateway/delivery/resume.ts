import type { Feed } from '../../feed/feed.ts';
import type { ResumePoint } from '../../feed/rendered-event.ts';
import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import { type Cursor, InvalidCursorError, parseCursor } from '../../schemas/cursor.ts';
import { SINCE_FORM } from '../../schemas/http/parameters.ts';
import type { Clock } from '../../service/clock.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { loadPointBefore, loadStreamHead } from '../../store/reads/stream-points.ts';
import { ApiError, createUnavailableError } from '../http/api-error.ts';

/** The start parameters of a request. */
export interface StartRequest {
  /** The header Last-Event-ID. Overrides all others, because browsers repeat the first URL when they reconnect. */
  lastEventIdHeader?: string | undefined;
  /** The parameter of the same meaning. Overrides those below. */
  lastEventId?: string | undefined;
  cursor?: string | undefined;
  from?: string | undefined;
  /** ISO 8601. */
  since?: string | undefined;
}

/** The services that resolve a cursor or a time. */
export interface ResumeServices {
  feed: Pick<Feed, 'epoch' | 'latest' | 'ready' | 'isInConflict'>;
  pool: DatabasePool;
  clock: Clock;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
}

/** The last time of a Date, in milliseconds since 1970. Silent streams send the time of their cursor. */
const LAST_TIME = 8.64e15;

const DAY_MS = 24 * 60 * 60 * 1000;

function describeDuration(ms: number): string {
  const [value, unit] = ms >= DAY_MS ? [ms / DAY_MS, 'day'] : [ms / 1000, 'second'];
  return Math.round(value).toLocaleString('en', { style: 'unit', unit, unitDisplay: 'long' });
}

function createExpiredError(retentionMs: number): ApiError {
  return new ApiError(
    'cursor_expired',
    `The cursor is older than the retention of ${describeDuration(retentionMs)}. ${CATCH_UP}`,
  );
}

const CATCH_UP =
  'Catch up through /v1/endorsements, then continue from its stream_cursor, or with from=latest.';

/** The changes after the cursor do not exist in another epoch. */
function createOtherHistoryError(): ApiError {
  return new ApiError(
    'cursor_expired',
    `The cursor belongs to another stream: this service has begun a new one since, or another service made the cursor. ${CATCH_UP}`,
  );
}

function refuseCursor(name: string, reason: string): ApiError {
  return new ApiError(
    'invalid_parameter',
    `${name} is not a cursor of this service: ${reason}. Send a next_cursor or an event id as it was received.`,
  );
}

function readCursor(name: string, text: string): Cursor {
  try {
    return parseCursor(text);
  } catch (error) {
    if (error instanceof InvalidCursorError) throw refuseCursor(name, error.message);
    throw error;
  }
}

async function resumeFromCursor(name: string, text: string, services: ResumeServices): Promise<ResumePoint> {
  const { feed, clock, pool, retentionMs } = services;
  const { epoch, ...resumePoint } = readCursor(name, text);
  if (epoch !== feed.epoch) throw createOtherHistoryError();
  if (resumePoint.time > LAST_TIME) throw refuseCursor(name, 'its time is not a date');
  if (resumePoint.time < clock.now() - retentionMs) throw createExpiredError(retentionMs);
  if (resumePoint.sequence > feed.latest.sequence) {
    // Another gateway can be ahead of this one for a moment, but no gateway is ahead of the database.
    const head = await loadStreamHead(pool);
    if (resumePoint.sequence > head.sequence) {
      throw refuseCursor(name, 'its position is beyond the newest change');
    }
  }
  return resumePoint;
}

/** Returns the point before the first change at or after a time, within retention. */
async function resumeSince(
  time: number,
  { pool, feed, clock, retentionMs }: ResumeServices,
): Promise<ResumePoint> {
  const from = Math.max(time, clock.now() - retentionMs);
  const found = await loadPointBefore(pool, new Date(from));
  const { latest } = feed;
  // Changes that are not in Kafka yet will arrive later.
  if (!found || found.sequence >= latest.sequence) return latest;
  return { sequence: found.sequence, time: found.nextOccurredAt, offsets: found.offsets };
}

/**
 * Checks that readers can begin.
 *
 * @throws ApiError server_busy while the database has another history; warming_up while the feed catches up.
 */
export function requireReadyFeed({ isInConflict, ready }: Pick<Feed, 'isInConflict' | 'ready'>): void {
  if (isInConflict) {
    const message =
      'The stream is interrupted until its operator has repaired the database; try again later.';
    throw createUnavailableError('server_busy', message);
  }
  if (!ready) throw createUnavailableError('warming_up', 'The stream is catching up; try again in a moment.');
}

/**
 * Returns the point at which a reader begins (specification, "GET /v1/events" and "GET /v1/stream").
 *
 * @throws ApiError invalid_parameter for an invalid cursor, several start parameters, or a `since` in the
 *   future; cursor_expired for a cursor older than retention (INV-5); and the errors of `requireReadyFeed`.
 */
export async function resolveStart(start: StartRequest, services: ResumeServices): Promise<ResumePoint> {
  const { feed, clock } = services;
  requireReadyFeed(feed);
  // An empty header, like an empty id of an event, names no event.
  if (start.lastEventIdHeader) {
    return resumeFromCursor('Last-Event-ID', start.lastEventIdHeader, services);
  }
  if (start.lastEventId) return resumeFromCursor('lastEventId', start.lastEventId, services);

  const given = (['cursor', 'since', 'from'] as const).filter((name) => start[name] !== undefined);
  if (given.length > 1) {
    throw new ApiError('invalid_parameter', `${given.join(' and ')} exclude each other; give one of them.`);
  }
  if (start.cursor !== undefined) return resumeFromCursor('cursor', start.cursor, services);
  if (start.since !== undefined) {
    const time = Date.parse(start.since);
    if (Number.isNaN(time) || !isCalendarDate(start.since.slice(0, 10))) {
      // A schema accepts times that Date does not, such as leap seconds and offsets without minutes. Date accepts 30 February.
      throw new ApiError('invalid_parameter', `since must be ${SINCE_FORM}, is "${start.since}".`);
    }
    const now = clock.now();
    if (time > now) {
      // The client's clock may be wrong.
      const present = new Date(now).toISOString();
      throw new ApiError(
        'invalid_parameter',
        `since must not be in the future: it is "${start.since}", and the service's time is ${present}.`,
      );
    }
    return resumeSince(time, services);
  }
  return start.from === 'earliest' ? resumeSince(0, services) : feed.latest;
}
