import { UnexpectedAnswerError } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { QueryValues } from '../http/query.ts';
import { Patience } from '../http/retries.ts';
import type { EventsPage } from '../types.ts';
import { queryOfStart, type Start, type Step, stepsAfter } from './step.ts';

/** The longest time that the service holds a request (specification, "Limits"). */
const WAIT_SECONDS = 25;
const PATH = '/v1/events';
const FIRST_RETRY_MS = 1000;
/** An answer that was held for this long is not too soon: a service that is about to stop sends empty ones at once. */
const HELD_MS = 500;

export interface PollSettings {
  filter: QueryValues;
  signal: AbortSignal;
  /** The most events of an answer. */
  limit: number;
  /** Whether to wait for further events at the end of the stream, or to stop there. */
  follow: boolean;
  /** The number of failures in a row after which it gives up; by default it never does. */
  maxRetries?: number;
}

/**
 * Follows `/v1/events` by long polling, through every temporary failure.
 *
 * @throws the last failure, if there were too many; CursorExpiredError, ApiError for a refusal such as 400, 401, 403
 * and 404, or the signal's reason
 */
export async function* readPolls(
  connection: Connection,
  start: Start,
  { filter, signal, limit, follow, maxRetries = Number.POSITIVE_INFINITY }: PollSettings,
): AsyncGenerator<readonly Step[], void> {
  const patience = new Patience({ connection, path: PATH, signal, retryMs: FIRST_RETRY_MS, maxRetries });
  let { cursor } = start;
  let isAtEnd = false;
  for (;;) {
    try {
      // The first request does not wait. If its answer were lost after a wait, so would be the events until then.
      const wait = isAtEnd ? WAIT_SECONDS : 0;
      const query = { ...filter, ...queryOfStart({ ...start, cursor }), limit, wait };
      const timeoutMs = wait * 1000 + connection.timeoutMs;
      const askedAt = Date.now();
      const page = await connection.readJson({ path: PATH, query }, { signal, timeoutMs });
      const { data, next_cursor, has_more } = requirePage(page);
      patience.recognize();
      const all: Step[] = data.map((event) => ({ cursor: event.id, event }));
      const steps = stepsAfter(cursor, [...all, { cursor: next_cursor, event: null }]);
      cursor = steps.at(-1)?.cursor ?? cursor;
      if (steps.length > 0) yield steps;
      if (!has_more && !follow) return;
      // While more follows, the cursor must move: a cache that repeats an answer stands still.
      const isNew = has_more ? steps.length > 0 : steps.some(({ event }) => event);
      const isTooSoon = (has_more || isAtEnd) && !isNew && Date.now() - askedAt < HELD_MS;
      if (isTooSoon) await patience.pause(HELD_MS);
      else patience.succeed();
      isAtEnd = !has_more;
    } catch (error) {
      await patience.bear(error);
    }
  }
}

function requirePage(body: unknown): EventsPage {
  const { data, next_cursor, has_more } = (body ?? {}) as Partial<EventsPage>;
  const isPage = Array.isArray(data) && typeof next_cursor === 'string' && typeof has_more === 'boolean';
  if (isPage) return body as EventsPage;
  throw new UnexpectedAnswerError(`${PATH} answered without data, next_cursor and has_more.`);
}
