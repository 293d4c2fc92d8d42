import type { Change } from './change.ts';

/** The second that was formatted last, and its text up to the point. Changes of a batch mostly share it. */
let last = { second: Number.NaN, text: '' };

/** A time in milliseconds since 1970, as `Date.prototype.toISOString` gives it, at a fraction of its cost. */
function formatTime(time: number): string {
  const second = Math.floor(time / 1000);
  if (second !== last.second) {
    last = { second, text: new Date(second * 1000).toISOString().slice(0, -'000Z'.length) };
  }
  return `${last.text}${String(time - second * 1000).padStart(3, '0')}Z`;
}

/** The text of an event's body (specification, "Event body"): the same for everyone, for ever (INV-3). */
export function renderEvent(change: Change): string {
  const { id, type, occurred_at, endorsement, endorser, contest, election, choice } = change;
  return JSON.stringify({
    id,
    type: `endorsement.${type}`,
    occurred_at: formatTime(occurred_at),
    endorsement,
    endorser,
    contest,
    election,
    choice,
  });
}

const BEFORE_ID = '\nid: ';
const BEFORE_DATA = '\ndata: ';
/** What ends a frame of Server-Sent Events. */
export const FRAME_END = '\n\n';

/**
 * What stands before the data of a frame of Server-Sent Events.
 *
 * @param frame.event the event's name, by which EventSource calls listeners.
 * @param frame.id a cursor.
 */
export function renderFrameHead({ event, id }: { event: string; id: string }): string {
  return `event: ${event}${BEFORE_ID}${id}${BEFORE_DATA}`;
}

/** The id in the head of a frame. */
export function parseFrameId(head: string): string {
  return head.slice(head.indexOf(BEFORE_ID) + BEFORE_ID.length, head.lastIndexOf(BEFORE_DATA));
}

/** A frame of Server-Sent Events. `data` is JSON, which has no line break in it. */
export function renderFrame({ data, ...head }: { event: string; id: string; data: string }): string {
  return `${renderFrameHead(head)}${data}${FRAME_END}`;
}
