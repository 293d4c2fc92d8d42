import type { StreamFilter } from '../../domain/stream-filter.ts';
import type { Clock } from '../../service/clock.ts';
import type { LogEntry, ResumePoint } from '../feed/entry.ts';
import type { Feed } from '../feed/feed.ts';

export interface PollOptions {
  start: ResumePoint;
  filter: StreamFilter;
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
  resumePoint: ResumePoint;
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
  const { filter, limit, waitMs, clock } = options;
  const reader = feed.openReader(filter);
  const answered = new AbortController();
  const ended = AbortSignal.any([options.signal, answered.signal]);
  if (waitMs > 0) clock.wait(waitMs, ended).then(() => reader.close());
  else reader.close();
  try {
    const found: LogEntry[] = [];
    let { start: resumePoint } = options;
    for (let scanned = 0; scanned < MAX_SCANNED; ) {
      // Who has found something waits for no more.
      if (found.length > 0 && resumePoint.sequence >= feed.latest.sequence) reader.close();
      const delivery = await reader.next(resumePoint);
      for (const entry of delivery.entries) {
        found.push(entry);
        if (found.length === limit) return { entries: found, resumePoint: entry.resumePoint };
      }
      const moved = delivery.resumePoint.sequence - resumePoint.sequence;
      resumePoint = delivery.resumePoint;
      if (moved === 0) break;
      scanned += moved;
    }
    return { entries: found, resumePoint };
  } finally {
    answered.abort();
    reader.close();
  }
}
