/**
 * The last formatted second, and its text up to the decimal point. Most changes of a batch share a second.
 * Formatting each time again would make rendering an event a quarter to a third slower.
 */
let last = { second: Number.NaN, text: '' };

/**
 * Formats milliseconds since 1970 like `Date.prototype.toISOString`, at a fraction of the cost.
 *
 * @throws RangeError if the time is outside the range of dates
 */
export function formatTime(time: number): string {
  const second = Math.floor(time / 1000);
  if (second !== last.second) {
    last = { second, text: new Date(second * 1000).toISOString().slice(0, -'000Z'.length) };
  }
  return `${last.text}${String(time - second * 1000).padStart(3, '0')}Z`;
}

/**
 * The largest body of an event, in bytes of JSON. Submissions, and edits of the catalogue, that would make a larger one are
 * refused. Common readers of Server-Sent Events take lines of 64 KiB.
 */
export const MAX_EVENT_BYTES = 48 * 1024;

const BEFORE_ID = '\nid: ';
const BEFORE_DATA = '\ndata: ';
/** The end of a frame of Server-Sent Events. */
export const FRAME_END = '\n\n';

/**
 * The part of a frame of Server-Sent Events before its data.
 *
 * @param frame.event the event's name, for which EventSource has listeners.
 * @param frame.id a cursor.
 */
export function renderFrameHead({ event, id }: { event: string; id: string }): string {
  return `event: ${event}${BEFORE_ID}${id}${BEFORE_DATA}`;
}

/** The id in the head of a frame. */
export function parseFrameId(head: string): string {
  return head.slice(head.indexOf(BEFORE_ID) + BEFORE_ID.length, head.lastIndexOf(BEFORE_DATA));
}

/** A frame of Server-Sent Events. `data` is JSON, which has no line breaks. */
export function renderFrame({ data, ...head }: { event: string; id: string; data: string }): string {
  return `${renderFrameHead(head)}${data}${FRAME_END}`;
}
