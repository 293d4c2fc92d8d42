import type { ChangePredicate } from '../../domain/stream-filter.ts';
import type { Clock } from '../../service/clock.ts';
import type { LogEntry, Position } from './entry.ts';
import type { Feed } from './feed.ts';

export interface PollOptions {
  start: Position;
  matches: ChangePredicate;
  /** At most so many events. */
  limit: number;
  /** How long to wait for one, in milliseconds. */
  waitMs: number;
  /** Ends the waiting: the client is gone, or the gateway stops. */
  signal: AbortSignal;
  clock: Clock;
}

export interface PollResult {
  entries: LogEntry[];
  /** Beyond everything that was looked at, whether it matched or not. */
  position: Position;
}

/** How many changes one call looks at; a filter that matches nothing answers in bounded time all the same. */
const MAX_SCANNED = 20_000;

/**
 * Collects matching changes after a position: as many as there are, up to the limit; where there are none, the first
 * that come while it waits.
 *
 * @throws what `Feed.read` throws.
 */
export async function pollFeed(feed: Feed, options: PollOptions): Promise<PollResult> {
  const { matches, limit, waitMs, clock } = options;
  const answered = new AbortController();
  const ended = AbortSignal.any([options.signal, answered.signal]);
  if (waitMs <= 0) answered.abort();
  else clock.wait(waitMs, ended).then(() => answered.abort());
  try {
    const found: LogEntry[] = [];
    let position = options.start;
    for (let scanned = 0; scanned < MAX_SCANNED; ) {
      const chunk = await feed.read(position);
      for (const entry of chunk.entries) {
        scanned += 1;
        if (!matches(entry.facets)) continue;
        found.push(entry);
        if (found.length === limit) return { entries: found, position: entry.position };
      }
      position = chunk.position;
      if (chunk.entries.length > 0) continue;
      if (found.length > 0 || ended.aborted) return { entries: found, position };
      await feed.whenBeyond(position.sequence, ended);
    }
    return { entries: found, position };
  } finally {
    answered.abort();
  }
}
