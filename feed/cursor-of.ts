import { formatCursor } from '../schemas/cursor.ts';
import type { Feed } from './feed.ts';
import type { ResumePoint } from './rendered-event.ts';

/** Formats the cursor of a reader of this feed (INV-5). */
export function cursorOf(
  feed: Pick<Feed, 'epoch' | 'latest'>,
  { sequence, time, offsets }: ResumePoint,
): string {
  const { latest } = feed;
  // A reader at the end has every change up to the time at which the feed last knew its end.
  const vouched = sequence === latest.sequence ? Math.max(time, latest.time) : time;
  return formatCursor({ epoch: feed.epoch, sequence, time: vouched, offsets });
}
