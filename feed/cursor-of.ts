import { formatCursor } from '../schemas/cursor.ts';
import type { Feed } from './feed.ts';
import type { ResumePoint } from './rendered-event.ts';

/** The time up to which a reader of this feed has every change, in milliseconds since 1970 (INV-5). */
export function timeOf({ latest }: Pick<Feed, 'latest'>, { sequence, time }: ResumePoint): number {
  // A reader at the end has every change up to the time at which the feed last knew its end.
  return sequence === latest.sequence ? Math.max(time, latest.time) : time;
}

/** Formats the cursor of a reader of this feed (INV-5). */
export function cursorOf(feed: Pick<Feed, 'epoch' | 'latest'>, point: ResumePoint): string {
  const { sequence, offsets } = point;
  return formatCursor({ epoch: feed.epoch, sequence, time: timeOf(feed, point), offsets });
}
