import type { StreamFilter } from '../../domain/stream-filter.ts';
import type { Clock } from '../../service/clock.ts';
import type { LogEntry, ResumePoint } from '../feed/entry.ts';
import type { Feed } from '../feed/feed.ts';

export interface PollOptions {
  start: ResumePoint;
  filter: StreamFilter;
  /** The most events to return. */
  limit: number;
  /** How long to wait for the first event, in milliseconds. */
  waitMs: number;
  /** Ends the wait: the client has disconnected, or the gateway is shutting down. */
  signal: AbortSignal;
  clock: Clock;
}

export interface PollResult {
  entries: LogEntry[];
  /** The point after all changes that were examined, whether they matched or not. */
  resumePoint: ResumePoint;
}

/** The most changes that one call examines, so that a filter that matches nothing is answered in bounded time. */
const MAX_SCANNED = 20_000;

/**
 * Collects the matching changes after a resume point, up to the limit. If there are none, waits for the first ones.
 *
 * @throws the errors of `Feed.read`.
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
      // Once something was found, the call does not wait for more.
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
